// A report in, Markdown for a job's summary or a pull request's comment out; what others chose stands in code spans only.
import { codeSpan } from "./code-span.ts";
import type { CallReport, RunReport } from "./report-document.ts";
import { callVerdict, runVerdict, type Verdict } from "./verdict.ts";

const MARKS = { passed: "✅", failed: "❌", unknown: "❓", open: "⏳" } as const satisfies Record<
  Verdict["kind"],
  string
>;
const MOST_ROWS = 100;

export function markdownText(report: RunReport): string {
  const calls = report.turns.flatMap((turn) => turn.calls);
  return [
    `### ${MARKS[runVerdict(report).kind]} Airlock run ${codeSpan(report.id)}: ${codeSpan(report.state)}`,
    rows(["", ""], factsOf(report)),
    ...(calls.length === 0 ? [] : ["#### Calls", callTable(report.id, calls)]),
    ...(report.diff.files.length === 0 ? [] : ["#### Changes", diffTable(report.diff)]),
  ].join("\n\n");
}

function factsOf(report: RunReport): readonly (readonly string[])[] {
  const { outcome, reason, durationMs, used, artifact, diff } = report;
  const facts: Readonly<Record<string, string | null>> = {
    Outcome: outcome === null ? null : codeSpan(outcome),
    Reason: reason === null ? null : codeSpan(reason),
    Time: durationMs === null ? null : `${(durationMs / 1_000).toFixed(1)} s`,
    Used: `${used.turns} turns, ${used.calls} calls (${used.mutatingCalls} with effects), ${used.outputTokens} output tokens`,
    Artifact: artifact === null ? null : `${codeSpan(artifact.kind)}, ${artifact.bytes} bytes`,
    Diff: diff.status === "taken" ? `${diff.filesTotal} files` : codeSpan(diff.why ?? diff.status),
  };
  return Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
}

function callTable(id: string, calls: readonly CallReport[]): string {
  return rows(
    ["", "Call", "Tool", "State", "Decision", "Rules", "Error", "Bytes"],
    calls.map((call) => [
      MARKS[callVerdict(call).kind],
      codeSpan(call.itemKey.slice(id.length + 1)),
      codeSpan(call.tool),
      codeSpan(call.state),
      codeSpan(call.decision ?? ""),
      call.rules.length === 0 ? "-" : call.rules.map(codeSpan).join(", "),
      codeSpan(call.errorClass ?? ""),
      call.resultBytes === null ? "-" : String(call.resultBytes),
    ]),
  );
}

function diffTable({ files, filesTotal }: RunReport["diff"]): string {
  const table = rows(
    ["File", "Added", "Deleted"],
    files.map(({ path, added, deleted }) => [
      codeSpan(path),
      added === null ? "binary" : `+${added}`,
      deleted === null ? "" : `-${deleted}`,
    ]),
  );
  return filesTotal > files.length ? `${table}\n\nand ${filesTotal - files.length} more files` : table;
}

function rows(head: readonly string[], cells: readonly (readonly string[])[]): string {
  const more = cells.length - MOST_ROWS;
  const table = [line(head), line(head.map(() => "---")), ...cells.slice(0, MOST_ROWS).map(line)].join("\n");
  return more > 0 ? `${table}\n\nand ${more} more` : table;
}

function line(row: readonly string[]): string {
  return `| ${row.join(" | ")} |`;
}
