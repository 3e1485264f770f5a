export { DECISIONS, strictest, type Decision } from "./decision.ts";
export { evaluatePolicy, type PolicyDecision } from "./evaluate.ts";
export { loadPolicy } from "./load.ts";
export type { Finding, Policy, PolicyRequest } from "./policy.ts";
export { splitSimpleCommand } from "./command/index.ts";
