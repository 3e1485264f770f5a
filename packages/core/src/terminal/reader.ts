// Takes the bytes of one response and how the transport ended, gives the one reading of it; refuses to call
// anything complete before the family's closing marker was read and agrees with everything before it.
import { assertNever } from "../fault/index.ts";
import {
  createSseReader,
  isDelta,
  type Adapter,
  type Blocks,
  type Decoder,
  type Skimmed,
  type SseMessage,
  type WireEvent,
} from "../wire/index.ts";
import { createAccumulator, type Accumulated } from "./accumulate.ts";
import { conclude } from "./conclude.ts";
import { createEarlyItems } from "./early-items.ts";
import type { ResponseReading, TerminalItem } from "./reading.ts";
import type { StopSequence } from "./stop-sequence.ts";
import type { TransportEnd } from "./transport-ends.ts";

export interface ResponseReaderOptions {
  readonly maxMessageBytes: number;
  readonly maxStreamBytes: number;
  readonly maxArgumentBytes: number;
  readonly maxItems: number;
  readonly requestedMaxOutputTokens: number | null;
  /** For families whose marker a gateway may leave out; `required` unless the route's contract says otherwise. */
  readonly closingMarker?: "required" | "optional";
  /** What the run asked for and what it means by each; left out where nobody knows, and then none is judged. */
  readonly stopSequences?: readonly StopSequence[];
  /** Told of each streamed call that is whole before the response has ended; the reading may still contradict it. */
  readonly onItem?: ((item: TerminalItem) => void) | undefined;
}

export interface ResponseReader {
  /** `closed`: nothing that follows can change the reading, so the body can be cancelled. */
  push(chunk: Uint8Array): "open" | "closed";
  /** The decision, once: a second call is a bug and throws. */
  end(end: TransportEnd): ResponseReading;
  lastEvents(): LastEvents;
}

/** What the stream said last, of itself and of each item by its ordinal: for people who look at what was set aside. */
export interface LastEvents {
  readonly response: WireEvent["type"] | null;
  readonly items: ReadonlyMap<number, WireEvent["type"]>;
}

export function createResponseReader(adapter: Adapter, options: ResponseReaderOptions): ResponseReader {
  const decoder = adapter.createDecoder();
  const accumulator = createAccumulator(options);
  const { onItem, maxArgumentBytes } = options;
  const tellEarly =
    onItem === undefined ? null : createEarlyItems(accumulator.state, maxArgumentBytes, onItem);
  let messages = 0;
  let closed = false;
  let ended = false;

  function enter(read: Skimmed): void {
    messages += read.messages;
    for (const event of read.events) accumulator.apply(event);
  }

  const sse = createSseReader(options, createSkim(decoder, enter));

  function accept(message: SseMessage): void {
    const events = decoder.decode(message);
    enter({ messages: 1, events });
    if (tellEarly !== null && events.some(({ type }) => type === "item_finished")) tellEarly();
    // Deltas are nearly all of a stream, and no family closes with one.
    closed ||= !isDelta(events[0]) && adapter.closesStream(message);
  }

  /** What was read outranks what the caller saw: a marker, a failure of the bytes, then the connection. */
  function settleEnd(reported: TransportEnd): TransportEnd {
    if (closed) return "closed_by_marker";
    const isWhole = reported === "clean" || reported === "closed_by_marker";
    const last = sse.end(isWhole ? "whole" : "broken");
    for (const message of last.messages) accept(message);
    if (closed) return "closed_by_marker";
    return sse.failure ?? (isWhole ? last.end : reported);
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
      enter({ messages: 0, events: decoder.end() });
      const transport = { end, bytes: sse.bytes, messages, unknownEvents: decoder.unknownEvents };
      const needsMarker = isMarkerNeeded(adapter, options);
      return conclude(adapter, options, { state: accumulator.state, transport, needsMarker });
    },
    lastEvents: () => lastEventsOf(accumulator.state),
  };
}

/** No family closes with what is skimmed, and no item is finished by it. */
function createSkim(decoder: Decoder, enter: (read: Skimmed) => void): (blocks: Blocks) => boolean {
  return (blocks) => {
    const skimmed = decoder.skim?.(blocks) ?? null;
    if (skimmed !== null) enter(skimmed);
    return skimmed !== null;
  };
}

function lastEventsOf({ lastEvent, items }: Accumulated): LastEvents {
  const ofItems = [...items.values()].map((item) => [item.ordinal, item.lastEvent] as const);
  return { response: lastEvent, items: new Map(ofItems) };
}

function isMarkerNeeded(adapter: Adapter, options: ResponseReaderOptions): boolean {
  switch (adapter.closingMarker) {
    case "always":
      return true;
    case "by_route":
      return options.closingMarker !== "optional";
    case "none":
      return false;
    default:
      return assertNever(adapter.closingMarker);
  }
}
