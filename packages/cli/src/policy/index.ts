export { checkPolicy, type PolicyCheck, type PolicyProblem } from "./check-policy.ts";
export { explainCall } from "./explain-call.ts";
