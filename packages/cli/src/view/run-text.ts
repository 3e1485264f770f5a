import { ACTIONS } from "@airlock/core/run";
import type { RunDocument, RunListEntry } from "@airlock/operator/document";
import { plainCell, plainText, type Screen } from "./screen.ts";
import { styledItemState, styledRunState } from "./states.ts";
import { table } from "./table.ts";

type Turn = RunDocument["turns"][number];

/** A run for people: how it stands, its attempts, its calls, its artifact, or what it had where it ended short of one. */
export function runText(screen: Screen, run: RunDocument): string {
  const unknown = unknownCall(run.turns);
  const head = [
    `${screen.style("bold", run.id)}  ${styledRunState(screen, run.state)}`,
    ...(run.outcome === null ? [] : [`outcome  ${run.outcome}`]),
    ...(run.reason === null ? [] : [`reason   ${plainCell(run.reason)}`]),
    ...(run.pool === null ? [] : [`pool     ${plainCell(run.pool)}`]),
    ...(isActionable(run.state) ? [`next     ${nextStep(run.id)}`] : []),
    ...(unknown === undefined ? [] : [`unknown  airlock ledger show ${unknown}; then resolve it`]),
    ...(run.used.turns === 0 ? [] : [`used     ${usedText(run.used)}`]),
  ];
  const parts = [
    head.join("\n"),
    ...(run.turns.length > 0 ? [attemptTable(screen, run.turns)] : []),
    ...(run.turns.some((turn) => turn.calls.length > 0) ? [callTable(screen, run.turns)] : []),
    ...(run.artifact === null
      ? []
      : [`${screen.style("bold", `artifact (${run.artifact.kind})`)}\n${plainText(run.artifact.content)}`]),
    ...(run.partial === null ? [] : [partialText(screen, run.partial)]),
  ];
  return parts.join("\n\n");
}

function foundText({ finding, by }: NonNullable<Turn["calls"][number]["found"]>): string {
  return `(found ${finding} by ${plainCell(by)})`;
}

/** The first call that a person has to find out about. */
function unknownCall(turns: readonly Turn[]): string | undefined {
  const calls = turns.flatMap((turn) => turn.calls);
  return calls.find(({ state, found }) => state === "OUTCOME_UNKNOWN" && found === null)?.itemKey;
}

function isActionable(state: string): boolean {
  return Object.values(ACTIONS).some(({ from }: { readonly from: readonly string[] }) =>
    from.includes(state),
  );
}

function nextStep(id: string): string {
  return `airlock quarantine show ${id}; then requeue or abandon it with a --reason`;
}

function usedText(used: RunDocument["used"]): string {
  const parts = [
    counted(used.turns, "turn"),
    `${counted(used.calls, "call")} (${used.mutatingCalls} with effects)`,
    counted(used.outputTokens, "output token"),
  ].join(", ");
  const { unreportedAttempts } = used;
  return unreportedAttempts === 0
    ? parts
    : `${parts} (${counted(unreportedAttempts, "attempt")} without a report, at the most allowed)`;
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function partialText(
  screen: Screen,
  { executed, text, textGone }: NonNullable<RunDocument["partial"]>,
): string {
  return [
    screen.style("bold", "partial: what the run had, not a finished artifact"),
    `executed ${executed.length === 0 ? "no call" : executed.map((key) => key.slice(key.indexOf(".") + 1)).join(", ")}`,
    ...(text === null ? [] : [plainText(text)]),
    ...(textGone ? ["its last text is not kept any more"] : []),
  ].join("\n");
}

function attemptTable(screen: Screen, turns: readonly Turn[]): string {
  const rows = turns.flatMap((turn) =>
    turn.attempts.map((attempt) => [
      String(turn.number),
      String(attempt.number),
      plainCell(attempt.raw ?? "-"),
      [attempt.outcome ?? "-", ...attempt.flags].join(", "),
      attempt.errorClass === null ? "-" : screen.style("yellow", attempt.errorClass),
    ]),
  );
  return table(["TURN", "ATTEMPT", "RAW", "OUTCOME", "ERROR"], rows);
}

function callTable(screen: Screen, turns: readonly Turn[]): string {
  const rows = turns.flatMap((turn) =>
    turn.calls.map((call) => [
      call.itemKey.slice(call.itemKey.indexOf(".") + 1),
      plainCell(call.tool),
      [styledItemState(screen, call.state), ...(call.found === null ? [] : [foundText(call.found)])].join(
        " ",
      ),
      call.decision ?? "-",
      call.rules.join(", ") || "-",
      [call.errorClass ?? "-", ...call.flags].join(", "),
      call.resultBytes === null ? "-" : String(call.resultBytes),
      plainCell(call.callId),
    ]),
  );
  return table(["ITEM", "TOOL", "STATE", "DECISION", "RULES", "ERROR", "BYTES", "CALL ID"], rows);
}

export function runListText(screen: Screen, runs: readonly RunListEntry[]): string {
  if (runs.length === 0) return "no runs";
  const rows = runs.map((run) => [
    run.id,
    styledRunState(screen, run.state),
    run.route,
    plainCell(run.model),
    String(run.turn),
    plainCell(run.pool ?? "-"),
    run.createdAt ?? "-",
    plainCell(run.reason ?? "-"),
  ]);
  return table(["RUN", "STATE", "ROUTE", "MODEL", "TURN", "POOL", "SUBMITTED", "REASON"], rows);
}
