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
    ...(call.detail === undefined ? {} : { detail: call.detail }),
    ...(call.rules === undefined ? {} : { rules: call.rules }),
  });
}
