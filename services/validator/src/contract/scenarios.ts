import type { ContractScenario, RunHash } from "@airlock/core/run";

/** What the end of a contract run showed; short, whatever a model did. */
export interface Observed {
  readonly state: RunHash["state"];
  readonly turns: number;
  /** whether every turn came out right at its first attempt */
  readonly firstAttempts: boolean;
  /** the calls of the first turn */
  readonly calls: number;
  /** those of them whose arguments were valid for a registered tool */
  readonly validCalls: number;
  /** how many of them can be told apart; those without an id, which one family allows, are told apart by their order */
  readonly distinctCalls: number;
}

/** `not_shown`: the model did not do what the scenario is about, which says nothing of the route. */
export type ScenarioVerdict = "passed" | "failed" | "not_shown";

/** What a run of each scenario has to show. A second turn shows that the route took the calls and their results back. */
export const SCENARIOS = {
  text: (seen) => passedIf(isClean(seen) && seen.turns === 1 && seen.calls === 0),
  tool_call: (seen) =>
    passedIf(isClean(seen) && seen.turns === 2 && seen.calls === 1 && seen.validCalls === 1),
  parallel_calls(seen) {
    const sound = isClean(seen) && seen.validCalls === seen.calls && seen.distinctCalls === seen.calls;
    if (sound && seen.calls < 2) return "not_shown";
    return passedIf(sound && seen.calls === 2 && seen.turns >= 2);
  },
} as const satisfies Record<ContractScenario, (seen: Observed) => ScenarioVerdict>;

function isClean({ state, firstAttempts }: Observed): boolean {
  return state === "completed" && firstAttempts;
}

function passedIf(held: boolean): ScenarioVerdict {
  return held ? "passed" : "failed";
}

/** The hash field under which a report lies. */
export function reportField(report: {
  readonly adapter: string;
  readonly covers: string;
  readonly scenario: string;
}): string {
  return JSON.stringify([report.adapter, report.covers, report.scenario]);
}
