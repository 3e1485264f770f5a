import type { PolicyDecision } from "@airlock/core/policy";
import type { CallDecision } from "@airlock/core/run";
import type { ShadowDifference } from "./judgement.ts";

export interface DecisionFields {
  readonly decision: string;
  readonly rule: string;
  readonly rules: readonly string[];
  readonly detail: string;
  readonly policyDigest: string;
  readonly policyDecision: CallDecision;
}

/** A decision as the call's record keeps it: with all that matched, and what of it the model may be told. */
export function decisionFields(decision: PolicyDecision, shadow: ShadowDifference | null): DecisionFields {
  const { winning, reason, policyDigest, matched, approval } = decision;
  return {
    decision: decision.decision,
    rule: winning,
    rules: matched.map(({ rule }) => rule),
    detail: reason,
    policyDigest,
    policyDecision: { decision: decision.decision, winning, reason, policyDigest, matched, approval, shadow },
  };
}
