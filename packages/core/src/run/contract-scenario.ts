/** The contract scenarios of every wire family, in the order in which they are played. */
export const CONTRACT_SCENARIOS = ["text", "tool_call", "parallel_calls"] as const;
export type ContractScenario = (typeof CONTRACT_SCENARIOS)[number];

/**
 * What a route owes in each before a call runs on it. `passed`: a report that passed; `not_failed`: one that did
 * not fail. Not every model calls twice at once, so a report that shows nothing of it is enough; one that is missing is
 * not, or whoever deletes a failed one would open the route.
 */
export const SCENARIO_DEMANDS = {
  text: "passed",
  tool_call: "passed",
  parallel_calls: "not_failed",
} as const satisfies Record<ContractScenario, "passed" | "not_failed">;

/** Whether what is stored of a scenario lets a route count as verified; null: nothing is, which never does. */
export function meetsDemand(
  scenario: ContractScenario,
  report: { readonly passed: boolean; readonly shown: boolean } | null,
): boolean {
  if (report === null) return false;
  return report.passed || (SCENARIO_DEMANDS[scenario] === "not_failed" && !report.shown);
}
