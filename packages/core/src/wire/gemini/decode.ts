// Takes the SSE messages of one Gemini stream, gives wire events; counts what it doesn't know, and turns what can't
// be right (broken JSON, several candidates, fragments without a call) into a stream error.
import { z } from "zod";
import type { Decoder } from "../adapter.ts";
import type { WireEvent } from "../events.ts";
import { bodyError, frameError, readFrame } from "../frame.ts";
import { sourceTexts } from "../source-text.ts";
import { createChunkReader, type ArgsSource } from "./chunk-reader.ts";
import { CHUNK } from "./wire-types.ts";

export function createDecoder(): Decoder {
  const chunks = createChunkReader();
  let unknownEvents = 0;

  return {
    decode(message) {
      const reading = readFrame(message);
      switch (reading.status) {
        case "idle":
          return [];
        case "error":
          return [reading.error];
        case "unknown": {
          if (message.data.trimStart().startsWith("[")) return [arrayError(message.data)];
          unknownEvents += 1;
          return [];
        }
        case "frame": {
          const events = chunks.read(reading.frame.data, argsLookup(message.data)(""));
          if (events === "unknown") unknownEvents += 1;
          return events === "unknown" ? [] : events;
        }
      }
    },
    end: () => chunks.end(),
    get unknownEvents() {
      return unknownEvents;
    },
  };
}

/** Errors may come as an array; nothing else does. */
function arrayError(text: string): WireEvent {
  return bodyError(z.json().parse(JSON.parse(text))) ?? frameError(CHUNK, "array_frame", "STREAM_MALFORMED");
}

/** Arguments are objects of the chunk: their text is looked up once, and only where there is a call. */
export function argsLookup(text: string): (prefix: string) => ArgsSource {
  let texts: ReadonlyMap<string, string> | null = null;
  return (prefix) => (partIndex) => {
    texts ??= sourceTexts(text, "args");
    return texts.get(`${prefix}candidates.0.content.parts.${partIndex}.functionCall.args`) ?? null;
  };
}

/** The family has no closing marker: a stream is over when its bytes are. */
export function closesStream(): boolean {
  return false;
}
