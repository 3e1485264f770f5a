import type { ErrorClass } from "../fault/index.ts";
import { isWinnerPrivate, tellableReason } from "../policy/index.ts";
import type { CallHash } from "./records.ts";

/** Classes in which it is policy's decision that ends a call. */
const BY_POLICY: ReadonlySet<string> = new Set<ErrorClass>([
  "APPROVAL_EXPIRED",
  "APPROVAL_NOT_ASKED",
  "POLICY_CHANGED",
  "POLICY_FORBIDDEN",
  "POLICY_QUARANTINED",
  "ROUTE_UNVERIFIED",
]);
const STOPPING: ReadonlySet<string> = new Set<NonNullable<CallHash["policyDecision"]>["decision"]>([
  "approve",
  "quarantine",
  "forbid",
]);

export interface RefusalReason {
  /** the rule that refused; null where it was none */
  readonly rule: string | null;
  readonly reason: string | null;
}

type Refused = Pick<CallHash, "decision" | "detail" | "errorClass" | "policyDecision" | "rule">;

/**
 * Why a call was refused, for those who may see every rule. A decision that let the call through, or that something else
 * came before, is not it: then there is no rule, and no reason but that of whoever ended the call.
 */
export function refusalReason(call: Refused): RefusalReason {
  const { decision = "", detail = null, errorClass = "", policyDecision, rule = null } = call;
  const ofPolicy = policyDecision?.reason === detail;
  const stops = STOPPING.has(decision) && BY_POLICY.has(errorClass);
  if (stops && (ofPolicy || policyDecision === undefined)) return { rule, reason: detail };
  return { rule: null, reason: ofPolicy ? null : detail };
}

/** The same for the model: of a private rule it hears that there is one. */
export function tellableRefusal(call: Refused): RefusalReason {
  const refusal = refusalReason(call);
  const { policyDecision } = call;
  if (refusal.rule === null || policyDecision === undefined || !isWinnerPrivate(policyDecision))
    return refusal;
  return { rule: null, reason: tellableReason(policyDecision) };
}
