// Takes a loaded policy and a schema-valid call, gives the strictest of everything that matches with all of it,
// and forbids what no rule names, what leaves the path scopes, and whatever it fails to evaluate in time.
import { strictestApproval, type ApprovalOptions } from "./approval-options.ts";
import { forbidden } from "./built-in-finding.ts";
import { strictest, type Decision } from "./decision.ts";
import { findingsFor, type Findings } from "./findings.ts";
import type { Finding, Policy, PolicyRequest } from "./policy.ts";

export interface PolicyDecision {
  readonly decision: Decision;
  /** The id of the first of the strictest findings. */
  readonly winning: string;
  readonly reason: string;
  readonly matched: readonly Finding[];
  readonly policyDigest: string;
  /** what an approval has to be, and whether a call waits for one; null unless the decision is `approve` */
  readonly approval: (ApprovalOptions & { readonly onAsk: "park" | "deny" }) | null;
}

/** Longer than any evaluation within the limits takes: only a machine in trouble reaches it. */
const EVALUATION_MS = 5_000;

const EVALUATOR_ERROR = forbidden("evaluator-error", "policy could not be evaluated for this call");
const EVALUATOR_TIMEOUT = forbidden(
  "evaluator-timeout",
  "policy took too long to be evaluated for this call",
);

export function evaluatePolicy(
  policy: Policy,
  request: PolicyRequest,
  clock?: { readonly now: () => number },
): PolicyDecision {
  return decideBy(policy, () => findingsFor(policy, request), clock);
}

/** The decision that findings lead to; where they can't be had, or not in time, `forbid`. */
export function decideBy(
  policy: Policy,
  find: () => Findings,
  clock: { readonly now: () => number } = performance,
): PolicyDecision {
  const started = clock.now();
  try {
    const findings = find();
    const late = clock.now() - started > EVALUATION_MS;
    return decide(policy, late ? only(EVALUATOR_TIMEOUT) : findings);
  } catch {
    // The error may quote arguments, and what can't be evaluated is forbidden whatever the cause.
    return unevaluable(policy);
  }
}

/** The decision on a call that could not be evaluated. */
export function unevaluable(policy: Policy): PolicyDecision {
  return decide(policy, only(EVALUATOR_ERROR));
}

function only(finding: Finding): Findings {
  return { matched: [finding], approvals: [] };
}

function decide(policy: Policy, { matched, approvals }: Findings): PolicyDecision {
  const decision = strictest(matched.map((finding) => finding.decision));
  const winner = matched.find((finding) => finding.decision === decision) ?? EVALUATOR_ERROR;
  return {
    decision,
    winning: winner.rule,
    reason: winner.reason,
    matched,
    policyDigest: policy.digest,
    approval: decision === "approve" ? approvalOf(policy, approvals) : null,
  };
}

function approvalOf({ defaults }: Policy, asked: readonly ApprovalOptions[]): PolicyDecision["approval"] {
  const timed = asked.map((each) => ({ ...each, ttlMs: each.ttlMs ?? defaults.approvalTtlMs }));
  const options = strictestApproval(timed) ?? { risk: "high", ttlMs: null, quorum: 1 };
  return { ...options, onAsk: defaults.onAskNonInteractive };
}
