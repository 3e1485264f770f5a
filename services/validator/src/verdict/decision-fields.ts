import type { PolicyDecision } from "@airlock/core/policy";
import type { CallDecision } from "@airlock/core/run";
import type { ShadowDifference } from "./judgement.ts";

/** A decision as the call's record keeps it: with all that matched, and what of it the model may be told. */
export function decisionFields(
  decision: PolicyDecision,
  shadow: ShadowDifference | null,
): {
  readonly decision: string;
  readonly rule: string;
  readonly rules: readonly string[];
  readonly detail: string;
  readonly policyDecision: CallDecision;
} {
  const { winning, reason, policyDigest, matched, approval } = decision;
  return {
    decision: decision.decision,
    rule: winning,
    rules: matched.map(({ rule }) => rule),
    detail: reason,
    policyDecision: { decision: decision.decision, winning, reason, policyDigest, matched, approval, shadow },
  };
}
