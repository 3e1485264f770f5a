import { callAdvice, ERROR_CLASSES, isErrorClass } from "@airlock/core/fault";
import { tellableRefusal, type CallHash } from "@airlock/core/run";

/**
 * What the model is told of a call that gave no result: what happened, why, and what it may do instead. Of policy it
 * hears the rule that decided and the reason that its author gave the model; of other rules, calls and files nothing.
 */
export function refusalText(call: CallHash): string {
  const errorClass = call.errorClass ?? "";
  const known = isErrorClass(errorClass) ? errorClass : null;
  const advice = known === null ? null : callAdvice(known);
  const { rule, reason } = tellableRefusal(call);
  return JSON.stringify({
    status: call.settled ?? call.state,
    // of a call whose end was not seen nobody may say that it did not run
    executed: call.settled === "OUTCOME_UNKNOWN" ? "unknown" : false,
    error: errorClass,
    meaning: known === null ? "the call did not run" : ERROR_CLASSES[known].meaning,
    ...(reason === null ? {} : { detail: reason }),
    ...(rule === null ? {} : { rule }),
    ...(advice === null ? {} : { advice }),
  });
}
