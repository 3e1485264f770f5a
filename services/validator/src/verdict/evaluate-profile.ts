import { evaluateCall, forbidden, type PolicyDecision, type PolicyRequest } from "@airlock/core/policy";
import { sha256Hex } from "@airlock/core/record";
import type { PolicyProfile } from "@airlock/core/runtime";
import type { ShadowDifference } from "./judgement.ts";

/** What the enforced policy decides, and where its shadow would have decided otherwise. Only the former acts. */
export function evaluateProfile(
  profile: PolicyProfile | undefined,
  name: string,
  request: PolicyRequest,
): { readonly judged: PolicyDecision; readonly shadow: ShadowDifference | null } {
  if (profile === undefined) return { judged: unknownPolicy(name), shadow: null };
  const judged = evaluateCall(profile.enforced, request);
  if (profile.shadow === null) return { judged, shadow: null };
  const { decision, winning } = evaluateCall(profile.shadow, request);
  const differs = decision !== judged.decision;
  return { judged, shadow: differs ? { rule: winning, enforced: judged.decision, shadow: decision } : null };
}

function unknownPolicy(name: string): PolicyDecision {
  const gone = forbidden("policy-gone", `the policy ${name} is gone`);
  return {
    decision: gone.decision,
    winning: gone.rule,
    reason: gone.reason,
    matched: [gone],
    policyDigest: sha256Hex(""),
    approval: null,
  };
}
