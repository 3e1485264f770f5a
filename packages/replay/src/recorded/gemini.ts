/** In come the bytes of a recorded answer, out come the parts that a client has to replay after it. */
import { joinTexts } from "../request/index.ts";
import { assembleCall, isFragment } from "./assemble-call.ts";
import { isRecord, recordedEvents, recordsOf, textOf, type RecordedItem } from "./events.ts";

/** Null where no chunk has a finish reason: such an answer never became part of a conversation. */
export function geminiStreamOutput(bytes: Uint8Array): readonly RecordedItem[] | null {
  return outputOf(recordedEvents(bytes));
}

export function geminiBodyOutput(body: RecordedItem): readonly RecordedItem[] | null {
  return outputOf([body]);
}

function outputOf(chunks: readonly RecordedItem[]): readonly RecordedItem[] | null {
  const candidates = chunks.flatMap(({ candidates: list }) => recordsOf(list).slice(0, 1));
  if (candidates.every((candidate) => textOf(candidate["finishReason"]) === "")) return null;
  const parts = candidates.flatMap(({ content }) => (isRecord(content) ? recordsOf(content["parts"]) : []));
  return joinTexts(assembleCalls(withoutResent(parts))).filter(isRecord);
}

/** A call that comes again with its id and its arguments is one call. */
function withoutResent(parts: readonly RecordedItem[]): readonly RecordedItem[] {
  const seen = new Set<unknown>();
  return parts.filter(({ functionCall: call }) => {
    if (!isRecord(call) || call["id"] === undefined || isFragment(call)) return true;
    const known = seen.has(call["id"]);
    seen.add(call["id"]);
    return !known;
  });
}

/** Each run of fragments becomes one call, whose part is the one that opened it. */
function assembleCalls(parts: readonly RecordedItem[]): readonly RecordedItem[] {
  const whole: RecordedItem[] = [];
  let open: RecordedItem[] = [];
  for (const part of parts) {
    const call = part["functionCall"];
    if (!isRecord(call) || (open.length === 0 && !isFragment(call))) {
      whole.push(part);
      continue;
    }
    open.push(part);
    if (call["willContinue"] === true) continue;
    whole.push(assembleCall(open));
    open = [];
  }
  return whole;
}
