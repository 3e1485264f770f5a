// Takes a whole chat completion, gives the events that its stream would have given; what is not one becomes a
// stream error.
import type { JsonObject, JsonValue } from "../../json/index.ts";
import { isJsonArray } from "../../json/index.ts";
import type { WireEvent } from "../events.ts";
import { object, objects } from "../fields.ts";
import { bodyError, frameError } from "../frame.ts";
import { createChunkReader } from "./chunk.ts";
import { lazySource } from "./decode.ts";

export function readBuffered(body: JsonValue, text: string): readonly WireEvent[] {
  const error = bodyError(body);
  if (error !== null) return [error];
  const completion = object(body);
  const events =
    completion === null
      ? null
      : createChunkReader("message").read(withCallIndexes(completion), lazySource(text));
  return events ?? [frameError("", "no_response", "STREAM_MALFORMED")];
}

/** In a whole message a call is one element and is never continued: here its place does identify it. */
function withCallIndexes(completion: JsonObject): JsonObject {
  const choices = completion["choices"];
  if (choices === undefined || !isJsonArray(choices)) return completion;
  return { ...completion, choices: choices.map((choice) => withIndexesInChoice(choice)) };
}

function withIndexesInChoice(value: JsonValue): JsonValue {
  const choice = object(value);
  const message = object(choice?.["message"]);
  const calls = message?.["tool_calls"] ?? null;
  if (choice === null || message === null || calls === null || !isJsonArray(calls)) return value;
  if (objects(calls).length < calls.length) return value;
  const tool_calls = objects(calls).map((call, index) => ({ ...call, index }));
  return { ...choice, message: { ...message, tool_calls } };
}
