import { plainCell, table, type Screen } from "../view/index.ts";
import type { Observed, ScenarioResult } from "./scenario-result.ts";

const VERDICTS = {
  passed: { word: "passed", colour: "green" },
  failed: { word: "FAILED", colour: "red" },
  not_shown: { word: "not shown", colour: "yellow" },
  no_report: { word: "NO REPORT", colour: "red" },
} as const satisfies Record<ScenarioResult["verdict"], { readonly word: string; readonly colour: string }>;

const DEMANDS = { passed: "passed", not_failed: "not failed" } as const satisfies Record<
  ScenarioResult["demand"],
  string
>;

/** What the scenarios showed of a route. */
export interface ContractDocument {
  readonly route: string;
  readonly family: string;
  /** the version that the reports are about */
  readonly adapter: string;
  /** whether the report of each scenario that was played passed */
  readonly passed: boolean;
  /** whether every call runs that policy allows, of the models that were played; by all reports that are stored */
  readonly verified: boolean;
  readonly scenarios: readonly ScenarioResult[];
}

/** One line for each scenario, then what they mean for the route. */
export function contractText(screen: Screen, { route, verified, scenarios }: ContractDocument): string {
  const rows = scenarios.map(({ scenario, demand, verdict, observed, reasons, covers, run }) => [
    scenario,
    DEMANDS[demand],
    screen.style(VERDICTS[verdict].colour, VERDICTS[verdict].word),
    [observed === null ? "nothing" : observedText(observed), ...reasons.map(plainCell)].join("; "),
    plainCell(covers ?? "-"),
    run,
  ]);
  const list = table(["SCENARIO", "NEEDED", "REPORT", "OBSERVED", "COVERS", "RUN"], rows);
  const standing = verified
    ? screen.style("green", `route ${route} is verified: calls that policy allows run`)
    : screen.style("red", `route ${route} is not verified: no call runs unless the route lets reads run`);
  return `${list}\n\n${standing}`;
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
