/** The contract scenarios that a run may play. What a route has to show in each is a table of the validator's. */
export const CONTRACT_SCENARIOS = ["text", "tool_call", "parallel_calls"] as const;
export type ContractScenario = (typeof CONTRACT_SCENARIOS)[number];
