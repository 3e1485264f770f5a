export { DECISIONS, strictest, type Decision } from "./decision.ts";
export { evaluatePolicy, type PolicyDecision } from "./evaluate.ts";
export { evaluateCheck } from "./evaluate-check.ts";
export { loadPolicy } from "./load.ts";
export type { Finding, PathScope, Policy, PolicyRequest } from "./policy.ts";
export { splitSimpleCommand } from "./simple-command.ts";
