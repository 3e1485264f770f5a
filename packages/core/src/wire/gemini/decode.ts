// Takes the SSE messages of one Gemini stream, gives wire events; counts what it doesn't know, and turns what can't
// be right (broken JSON, several candidates, fragments without a call) into a stream error.
import type { Decoder } from "../adapter.ts";
import { readFrame } from "../frame.ts";
import { sourceKey, sourceTexts, type SourcePath } from "../source-text.ts";
import { createChunkReader, type ArgsSource } from "./chunk-reader.ts";

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
        case "unknown":
          unknownEvents += 1;
          return [];
        case "frame": {
          const events = chunks.read(reading.frame.data, argsLookup(message.data)([]));
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

/** Arguments are objects of the chunk: their text is looked up once, and only where there is a call. */
export function argsLookup(text: string): (prefix: SourcePath) => ArgsSource {
  let texts: ReadonlyMap<string, string> | null = null;
  return (prefix) => (partIndex) => {
    texts ??= sourceTexts(text, "args");
    const path = [...prefix, "candidates", 0, "content", "parts", partIndex, "functionCall", "args"];
    return texts.get(sourceKey(path)) ?? null;
  };
}

/** The family has no closing marker: a stream is over when its bytes are. */
export function closesStream(): boolean {
  return false;
}
