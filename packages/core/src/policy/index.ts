export { RISKS, type ApprovalOptions } from "./approval-options.ts";
export { splitSimpleCommand } from "./command/index.ts";
export { DECISIONS, strictest, type Decision } from "./decision.ts";
export { evaluateInView } from "./evaluate-in-view.ts";
export { evaluatePolicy, type PolicyDecision } from "./evaluate.ts";
export { placeFindings } from "./findings.ts";
export { loadPolicy, type LoadOptions } from "./load.ts";
export type { Entry, WorkspaceView } from "./real-place.ts";
export type { Finding, Policy, PolicyRequest, RunBounds, RunPlace } from "./policy.ts";
