export { checkPolicy, type PolicyCheck, type PolicyProblem } from "./check-policy.ts";
export { explainCall, type ExplainedCall } from "./explain-call.ts";
