// Takes the JSON of one whole response, or the array of chunks that the streaming endpoint gives without SSE, and
// gives the wire events that its stream would have given; refuses what is neither that nor an error.
import { isJsonArray, type JsonObject, type JsonValue } from "../../json/index.ts";
import type { WireEvent } from "../events.ts";
import { objects } from "../fields.ts";
import { bodyError, frameError } from "../frame.ts";
import { createChunkReader } from "./chunk-reader.ts";
import { argsLookup } from "./decode.ts";
import { CHUNK } from "./wire-types.ts";

export function readBuffered(body: JsonValue, text: string): readonly WireEvent[] {
  const chunks = createChunkReader();
  const source = argsLookup(text);
  const isArray = isJsonArray(body);
  const bodies = isArray ? body : [body];
  const read = (chunk: JsonObject, index: number): readonly WireEvent[] => {
    const error = bodyError(chunk);
    if (error !== null) return [error];
    const events = chunks.read(chunk, source(isArray ? [index] : []));
    return events === "unknown" ? [malformed()] : events;
  };
  const whole = objects(bodies);
  if (whole.length === 0 || whole.length !== bodies.length) return [malformed()];
  return [...whole.flatMap((chunk, index) => read(chunk, index)), ...chunks.end()];
}

function malformed(): WireEvent {
  return frameError(CHUNK, "malformed_body", "STREAM_MALFORMED");
}
