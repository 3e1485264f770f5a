// Takes the SSE messages of one Responses stream, gives wire events; counts what it doesn't know, and turns
// what can't be right (broken JSON, numbers that run backwards, unknown endings) into a stream error.
import type { Decoder } from "../adapter.ts";
import { isDelta, type DeltaEvent, type WireEvent } from "../events.ts";
import type { SseMessage } from "../sse.ts";
import { EVENT_READERS } from "./event-readers.ts";
import { frameError, readFrame, type Frame } from "../frame.ts";
import { createFrameRepeats } from "../repeated-frame.ts";
import { CLOSING_EVENTS, unreadEvent } from "./wire-types.ts";

/** What changes from one delta of an item to the next. */
const REPEATED = { piece: ["delta"], counter: ["sequence_number"], padding: ["obfuscation"] } as const;

export function createDecoder(): Decoder {
  const repeats = createFrameRepeats<DeltaEvent>();
  const order = createOrderCheck();
  let unknownEvents = 0;

  function readKnown(frame: Frame): readonly WireEvent[] {
    const reader = EVENT_READERS.get(frame.wireType);
    if (reader !== undefined) {
      return reader(frame) ?? [frameError(frame.wireType, "malformed_frame", "STREAM_MALFORMED")];
    }
    const meaning = unreadEvent(frame.wireType);
    if (meaning === "response_ended") {
      return [frameError(frame.wireType, "unknown_ending", "SIGNAL_UNKNOWN")];
    }
    if (meaning === "unknown") unknownEvents += 1;
    return [];
  }

  function readMessage(frame: Frame, message: SseMessage): readonly WireEvent[] {
    const events = readKnown(frame);
    const [event] = events;
    if (event !== undefined && isDelta(event)) repeats.learn(message, REPEATED, event);
    return [...order.faults(frame), ...events];
  }

  return {
    decode(message) {
      const reading = readFrame(message);
      switch (reading.status) {
        case "idle":
          return [];
        case "unknown":
          unknownEvents += 1;
          return [];
        case "error":
          return [reading.error];
        case "frame":
          return readMessage(reading.frame, message);
      }
    },
    skim(blocks) {
      const repetition = repeats.read(blocks, order.last);
      if (repetition === null) return null;
      const { meaning, frames, piece, counter } = repetition;
      if (counter !== null) order.last = counter;
      return { messages: frames, events: [{ ...meaning, text: piece }] };
    },
    // Every event of this protocol is complete when it comes.
    end: () => [],
    get unknownEvents() {
      return unknownEvents;
    },
  };
}

interface OrderCheck {
  /** The greatest number so far. */
  last: number;
  faults(frame: Frame): readonly WireEvent[];
}

/** The number is optional, and gateways skip some; one that runs backwards means two streams in one. */
function createOrderCheck(): OrderCheck {
  return {
    last: -1,
    faults({ wireType, data }) {
      const next = data["sequence_number"];
      if (typeof next !== "number") return [];
      if (next < this.last) return [frameError(wireType, "sequence_decreasing", "EVENT_ORDER")];
      this.last = next;
      return [];
    },
  };
}

/** Decided by the type alone, so that a closing event with an error in it closes too. */
export function closesStream(message: SseMessage): boolean {
  if (message.bare) return false;
  if (message.event !== null) return CLOSING_EVENTS.has(message.event);
  // Without `event:` the type is in the data. Parsing each delta twice is saved by looking first.
  if (![...CLOSING_EVENTS.keys()].some((type) => message.data.includes(type))) return false;
  const reading = readFrame(message);
  switch (reading.status) {
    case "frame":
      return CLOSING_EVENTS.has(reading.frame.wireType);
    case "error":
      return CLOSING_EVENTS.has(reading.error.wireType);
    case "idle":
    case "unknown":
      return false;
  }
}
