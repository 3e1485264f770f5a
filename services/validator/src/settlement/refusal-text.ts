import { callAdvice, ERROR_CLASSES, isErrorClass } from "@airlock/core/fault";
import { tellableReason } from "@airlock/core/policy";
import type { CallHash } from "@airlock/core/run";

/**
 * What the model is told of a call that gave no result: what happened, why, and what it may do instead. Of policy it
 * hears the rule that decided and the reason that its author gave the model; of other rules, calls and files nothing.
 */
export function refusalText(call: CallHash): string {
  const errorClass = call.errorClass ?? "";
  const known = isErrorClass(errorClass) ? errorClass : null;
  const advice = known === null ? null : callAdvice(known);
  return JSON.stringify({
    status: call.settled ?? call.state,
    // of a call whose end was not seen nobody may say that it did not run
    executed: call.settled === "OUTCOME_UNKNOWN" ? "unknown" : false,
    error: errorClass,
    meaning: known === null ? "the call did not run" : ERROR_CLASSES[known].meaning,
    ...toldDetail(call),
    ...(isRefusedByRule(call) ? { rule: call.rule } : {}),
    ...(advice === null ? {} : { advice }),
  });
}

/** Policy's own reason only where its author lets the model have it, and not the one for which it let the call through. */
function toldDetail({ policyDecision, detail }: CallHash): { readonly detail?: string } {
  if (detail === undefined) return {};
  if (policyDecision?.reason !== detail) return { detail };
  const { decision } = policyDecision;
  return decision === "allow" || decision === "flag" ? {} : { detail: tellableReason(policyDecision) };
}

/** A rule that let the call through says nothing about why it ended otherwise, and a private one nothing at all. */
function isRefusedByRule({ rule, decision, policyDecision }: CallHash): boolean {
  const hidden = policyDecision?.matched.some((finding) => finding.private === true && finding.rule === rule);
  return rule !== undefined && hidden !== true && (decision === "forbid" || decision === "quarantine");
}
