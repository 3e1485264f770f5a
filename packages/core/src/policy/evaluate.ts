// Takes a loaded policy and a schema-valid call, gives the strictest of everything that matches with all of it,
// and forbids what no rule names, what leaves the path scopes, and whatever it fails to evaluate.
import { strictest, type Decision } from "./decision.ts";
import { findingsFor } from "./findings.ts";
import type { Finding, Policy, PolicyRequest } from "./policy.ts";

export interface PolicyDecision {
  readonly decision: Decision;
  /** The id of the first of the strictest findings. */
  readonly winning: string;
  readonly reason: string;
  readonly matched: readonly Finding[];
  readonly policyDigest: string;
}

const EVALUATOR_ERROR: Finding = {
  rule: "evaluator-error",
  decision: "forbid",
  reason: "policy could not be evaluated for this call",
};

export function evaluatePolicy(policy: Policy, request: PolicyRequest): PolicyDecision {
  return decideBy(policy, () => findingsFor(policy, request));
}

/** The decision that findings lead to; where they can't be had, `forbid`. */
export function decideBy(policy: Policy, findings: () => readonly Finding[]): PolicyDecision {
  try {
    return decide(policy, findings());
  } catch {
    // The error may quote arguments, and what can't be evaluated is forbidden whatever the cause.
    return decide(policy, [EVALUATOR_ERROR]);
  }
}

function decide(policy: Policy, matched: readonly Finding[]): PolicyDecision {
  const decision = strictest(matched.map((finding) => finding.decision));
  const winner = matched.find((finding) => finding.decision === decision) ?? EVALUATOR_ERROR;
  return { decision, winning: winner.rule, reason: winner.reason, matched, policyDigest: policy.digest };
}
