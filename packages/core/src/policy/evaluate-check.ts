// Takes a loaded policy and a check that the validator makes itself, gives the strictest of everything that the scopes say;
// no rule has to name a check, since no model can ask for one.
import { decideBy, type PolicyDecision } from "./evaluate.ts";
import { scopeFindings } from "./findings.ts";
import type { Finding, Policy, PolicyRequest } from "./policy.ts";

const OWN: Finding = { rule: "own-check", decision: "allow", reason: "a check of the validator's own" };

export function evaluateCheck(policy: Policy, request: PolicyRequest): PolicyDecision {
  return decideBy(policy, () => [OWN, ...scopeFindings(policy, request)]);
}
