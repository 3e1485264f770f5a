// Takes the SSE messages of one Chat Completions stream, gives wire events; counts frames that are no chunk, and
// turns what can't be right (several choices, a whole message in a delta's place, content after the finish) into
// a stream error.
import type { JsonObject } from "../../json/index.ts";
import type { Decoder } from "../adapter.ts";
import type { WireEvent } from "../events.ts";
import { readFrame } from "../frame.ts";
import { sourceKey, sourceTexts } from "../source-text.ts";
import type { SseMessage } from "../sse.ts";
import type { SourceText } from "./call-fragment.ts";
import { createChunkReader } from "./chunk.ts";

export function createDecoder(): Decoder {
  const chunks = createChunkReader();
  let unknownEvents = 0;

  function readChunk(data: JsonObject, message: SseMessage): readonly WireEvent[] {
    const events = chunks.read(data, lazySource(message.data));
    if (events === null) unknownEvents += 1;
    return events ?? [];
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
          return readChunk(reading.frame.data, message);
      }
    },
    // The finish reason has said everything when it came.
    end: () => [],
    get unknownEvents() {
      return unknownEvents;
    },
  };
}

/** The source is looked through only where arguments are not text, and once for a frame. */
export function lazySource(text: string): SourceText {
  const found = new Map<string, ReadonlyMap<string, string>>();
  return (path) => {
    const member = String(path.at(-1));
    const texts = found.get(member) ?? sourceTexts(text, member);
    found.set(member, texts);
    return texts.get(sourceKey(path)) ?? null;
  };
}
