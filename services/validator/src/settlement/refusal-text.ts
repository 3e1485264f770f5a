import { ERROR_CLASSES, isErrorClass } from "@airlock/core/fault";
import type { CallHash } from "@airlock/core/run";

/** What the model is told of a call that gave no result: what happened, why, and where it stands. */
export function refusalText(call: CallHash): string {
  const errorClass = call.errorClass ?? "";
  return JSON.stringify({
    status: call.settled ?? call.state,
    // of a call whose end was not seen nobody may say that it did not run
    executed: call.settled === "OUTCOME_UNKNOWN" ? "unknown" : false,
    error: errorClass,
    meaning: isErrorClass(errorClass) ? ERROR_CLASSES[errorClass].meaning : "the call did not run",
    ...(call.detail === undefined ? {} : { detail: hides(call) ? "the reason is private" : call.detail }),
    ...(call.rules === undefined ? {} : { rules: toldRules(call.rules, call) }),
  });
}

/** Whether the detail is the reason of a rule that the operator marked private. */
function hides({ policyDecision }: CallHash): boolean {
  if (policyDecision === undefined) return false;
  const { matched, winning } = policyDecision;
  return matched.some((finding) => finding.private === true && finding.rule === winning);
}

function toldRules(rules: readonly string[], { policyDecision }: CallHash): readonly string[] {
  const hidden = policyDecision?.matched.filter((finding) => finding.private === true) ?? [];
  return rules.filter((id) => !hidden.some(({ rule }) => rule === id));
}
