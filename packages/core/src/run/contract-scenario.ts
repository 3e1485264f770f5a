/** The contract scenarios of every wire family, in the order in which they are played. */
export const CONTRACT_SCENARIOS = ["text", "tool_call", "parallel_calls"] as const;
export type ContractScenario = (typeof CONTRACT_SCENARIOS)[number];

/**
 * What a route owes in each before a call runs on it. `passed`: a report that passed; `not_failed`: none that failed.
 * Not every model calls twice at once, so a route needs no report on that; one that mixes such calls up is closed.
 */
export const SCENARIO_DEMANDS = {
  text: "passed",
  tool_call: "passed",
  parallel_calls: "not_failed",
} as const satisfies Record<ContractScenario, "passed" | "not_failed">;

/** Whether what is stored of a scenario lets a route count as verified; null: nothing is. */
export function meetsDemand(
  scenario: ContractScenario,
  report: { readonly passed: boolean; readonly shown: boolean } | null,
): boolean {
  const lenient = SCENARIO_DEMANDS[scenario] === "not_failed";
  return report === null ? lenient : report.passed || (lenient && !report.shown);
}
