// Takes the SSE messages of one Messages stream, gives wire events; counts what it doesn't know, and turns what
// can't be right (broken JSON, deltas without a block, anything new after the stop reason) into a stream error.
import type { Decoder } from "../adapter.ts";
import { readFrame } from "../frame.ts";
import { sourceKey, sourceTexts } from "../source-text.ts";
import type { SseMessage } from "../sse.ts";
import { createFrameRepeats } from "../repeated-frame.ts";
import { createMessageReader, deltaPlace, type DeltaPlace } from "./message-reader.ts";
import { CLOSING_EVENT } from "./wire-types.ts";

export function createDecoder(): Decoder {
  const messages = createMessageReader();
  const repeats = createFrameRepeats<DeltaPlace>();
  let unknownEvents = 0;

  return {
    decode(message) {
      const reading = readFrame(message);
      switch (reading.status) {
        case "idle":
          return [];
        case "error":
          return [reading.error];
        case "unknown":
          unknownEvents += 1;
          return [];
        case "frame": {
          const place = deltaPlace(reading.frame);
          // Pieces of what is replaced or listed are not the same joined.
          if (place?.type.how === "input" || place?.type.how === "append_text") {
            repeats.learn(message, { piece: ["delta", place.type.from] }, place);
          }
          const events = messages.read(reading.frame, () => startInput(message));
          if (events === "unknown") unknownEvents += 1;
          return events === "unknown" ? [] : events;
        }
      }
    },
    skim(blocks) {
      const repetition = repeats.read(blocks);
      if (repetition === null) return null;
      const { meaning, frames, piece } = repetition;
      return { messages: frames, events: messages.enter(meaning, piece) };
    },
    end: () => messages.end(),
    get unknownEvents() {
      return unknownEvents;
    },
  };
}

function startInput(message: SseMessage): string | null {
  return sourceTexts(message.data, "input").get(sourceKey(["content_block", "input"])) ?? null;
}

/** Decided by the type alone, so that a closing event with an error in it closes too. */
export function closesStream(message: SseMessage): boolean {
  if (message.bare) return false;
  if (message.event !== null) return message.event === CLOSING_EVENT;
  // Without `event:` the type is in the data. Parsing each delta twice is saved by looking first.
  if (!message.data.includes(CLOSING_EVENT)) return false;
  const reading = readFrame(message);
  switch (reading.status) {
    case "frame":
      return reading.frame.wireType === CLOSING_EVENT;
    case "error":
      return reading.error.wireType === CLOSING_EVENT;
    case "idle":
    case "unknown":
      return false;
  }
}
