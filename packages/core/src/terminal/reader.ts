// Takes the bytes of one response and how the transport ended, gives the one reading of it; refuses to call
// anything complete before the family's closing marker was read and agrees with everything before it.
import { createSseReader, isNormalEnd, type Adapter, type SseMessage } from "../wire/index.ts";
import { createAccumulator, type Accumulated } from "./accumulate.ts";
import { classify } from "./classify.ts";
import type { ResponseReading } from "./reading.ts";
import { messageText } from "./restated.ts";
import { settleItems } from "./settle-items.ts";
import type { TransportEnd } from "./transport-ends.ts";

export interface ResponseReaderOptions {
  readonly maxMessageBytes: number;
  readonly maxStreamBytes: number;
  readonly maxArgumentBytes: number;
  readonly maxItems: number;
  readonly requestedMaxOutputTokens: number | null;
}

export interface ResponseReader {
  /** `closed`: nothing that follows can change the reading, so the body can be cancelled. */
  push(chunk: Uint8Array): "open" | "closed";
  /** The decision, once: a second call is a bug and throws. */
  end(end: TransportEnd): ResponseReading;
}

export function createResponseReader(adapter: Adapter, options: ResponseReaderOptions): ResponseReader {
  const sse = createSseReader(options);
  const decoder = adapter.createDecoder();
  const accumulator = createAccumulator(options);
  let messages = 0;
  let closed = false;
  let ended = false;

  function accept(message: SseMessage): void {
    messages += 1;
    for (const event of decoder.decode(message)) accumulator.apply(event);
    closed ||= adapter.closesStream(message);
  }

  /** What was read outranks what the caller saw: a marker, a failure of the bytes, then the connection. */
  function settleEnd(reported: TransportEnd): TransportEnd {
    if (closed) return "closed_by_marker";
    if (sse.failure !== null) return sse.failure;
    if (reported !== "clean" && reported !== "closed_by_marker") return reported;
    const last = sse.end();
    for (const message of last.messages) accept(message);
    return closed ? "closed_by_marker" : last.end;
  }

  return {
    push(chunk) {
      if (closed || sse.failure !== null) return "closed";
      for (const message of sse.read(chunk)) {
        accept(message);
        if (closed) break;
      }
      return closed || sse.failure !== null ? "closed" : "open";
    },
    end(reported) {
      if (ended) throw new TypeError("a response was ended twice");
      ended = true;
      const end = settleEnd(reported);
      const { state } = accumulator;
      const { unknownEvents } = decoder;
      const transport = { end, bytes: sse.bytes, messages, unknownEvents };
      return conclude(adapter, options, { state, transport });
    },
  };
}

function conclude(
  adapter: Adapter,
  options: ResponseReaderOptions,
  read: { readonly state: Accumulated; readonly transport: ResponseReading["transport"] },
): ResponseReading {
  const { state, transport } = read;
  const { requestedMaxOutputTokens, maxArgumentBytes } = options;
  const { outcome, errorClass } = classify({ adapter, state, end: transport.end, requestedMaxOutputTokens });
  const finished = [...state.items.values()].flatMap((item) => item.finished ?? []);
  const finish = state.finishes[0];
  return {
    responseId: state.responseId,
    raw: finish?.signal ?? null,
    outcome,
    errorClass,
    items: settleItems(state, outcome, maxArgumentBytes),
    outputItems: isNormalEnd(outcome) ? finished.map(({ raw }) => raw) : [],
    outputText: messageText(finished),
    usage: finish?.usage ?? null,
    transport,
  };
}
