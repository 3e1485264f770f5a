import { callAdvice, type ErrorClass } from "@airlock/core/fault";
import type { Ending } from "@airlock/core/ledger";
import { parseItemKey, sealBody, sha256Hex, type Keyring } from "@airlock/core/record";
import { runKeys } from "@airlock/core/store";
import type { ToolOutcome } from "../tools/index.ts";

/** How a started call ends: every outcome whose end was seen is a result; one that was not is lost. */
export function endingOf(
  keyring: Keyring,
  ran: { readonly itemKey: string; readonly outcome: ToolOutcome; readonly durationMs: number },
): Ending {
  const { itemKey, outcome, durationMs } = ran;
  const { status, errorClass } = outcome;
  if (outcome.status === "unknown") return { ...bare("lose", status, errorClass), durationMs };
  const told = outcome.status === "refused" ? { error: errorClass, detail: outcome.detail } : outcome.content;
  const advice = errorClass === null ? null : callAdvice(errorClass);
  const text = JSON.stringify({ status, ...told, ...(advice === null ? {} : { advice }) });
  const place = runKeys(parseItemKey(itemKey)?.run ?? "").result(itemKey);
  const content = sealBody(keyring, { seal: "calls", place }, text);
  return {
    ...bare("commit", status, errorClass),
    content,
    contentDigest: sha256Hex(content),
    resultBytes: Buffer.byteLength(text),
    durationMs,
  };
}

/** The end of a call that was claimed and never begun; `detail` is what the model may be told of why. */
export function denial(errorClass: ErrorClass, detail: string | null): Ending {
  return { ...bare("deny", "refused", errorClass), detail };
}

function bare(transition: Ending["transition"], status: string, errorClass: ErrorClass | null): Ending {
  return {
    transition,
    status,
    errorClass,
    detail: null,
    content: null,
    contentDigest: null,
    resultBytes: 0,
    durationMs: 0,
  };
}
