import { plainCell, table, type Screen } from "../view/index.ts";
import type { Observed, ScenarioResult } from "./scenario-result.ts";

const VERDICTS = {
  passed: { word: "passed", colour: "green" },
  failed: { word: "FAILED", colour: "red" },
  not_shown: { word: "not shown", colour: "yellow" },
  no_report: { word: "NO REPORT", colour: "red" },
} as const satisfies Record<ScenarioResult["verdict"], { readonly word: string; readonly colour: string }>;

/** What the scenarios showed of a route, one line each. */
export function contractText(screen: Screen, results: readonly ScenarioResult[]): string {
  const rows = results.map(({ scenario, verdict, observed, reasons, covers, run }) => [
    scenario,
    screen.style(VERDICTS[verdict].colour, VERDICTS[verdict].word),
    [observed === null ? "nothing" : observedText(observed), ...reasons.map(plainCell)].join("; "),
    plainCell(covers ?? "-"),
    run,
  ]);
  return table(["SCENARIO", "REPORT", "OBSERVED", "COVERS", "RUN"], rows);
}

function observedText({ state, turns, firstAttempts, calls, validCalls, distinctCalls }: Observed): string {
  const share = validCalls === calls ? "" : `${validCalls === 0 ? "none" : validCalls} of them `;
  const valid = calls === 0 ? "" : `, ${share}valid`;
  const distinct = distinctCalls === calls ? "" : `, only ${distinctCalls} told apart by id`;
  return [
    `${state} in ${counted(turns, "turn")}`,
    `${counted(calls, "call")} in the first${valid}${distinct}`,
    firstAttempts ? "no retry" : "with retries",
  ].join("; ");
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
