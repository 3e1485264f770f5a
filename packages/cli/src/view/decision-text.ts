import type { DecisionEntry } from "@airlock/operator/document";
import { plainCell } from "./screen.ts";
import { table } from "./table.ts";

/** One line for each decision; `--json` has all fields. */
export function decisionListText(entries: readonly DecisionEntry[]): string {
  if (entries.length === 0) return "no decisions in this time";
  const head = [
    "TIME",
    "KIND",
    "RUN",
    "ITEM OR REQUEST",
    "ROUTE OR MODEL",
    "TOOL",
    "DECIDED",
    "CAME TO",
    "ERROR",
  ];
  return table(head, entries.map(rowOf));
}

function rowOf(entry: DecisionEntry): readonly string[] {
  if (entry.kind === "item") {
    const { line } = entry;
    const [tool, policy, error] = [line.tool_name, line.policy_status, line.error_class].map(
      (each) => each ?? "-",
    );
    const place = [line.run_id, line.item_id, line.model_route];
    return [line.observed_at, "item", ...[...place, tool, policy, line.execution_state, error].map(cell)];
  }
  const { line } = entry;
  const place = [line.run_id, line.request_id, line.model_id];
  return [
    line.timestamp,
    "response",
    ...[...place, "-", line.decision, line.normalized_outcome, "-"].map(cell),
  ];
}

function cell(text: string | undefined): string {
  return plainCell(text ?? "-");
}
