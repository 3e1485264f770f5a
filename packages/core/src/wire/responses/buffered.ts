// Takes a whole Responses object, gives the events that its stream would have ended with; what is not such an
// object, or holds an item that can't be read, becomes a stream error.
import { isJsonArray, type JsonObject, type JsonValue } from "../../json/index.ts";
import type { WireEvent } from "../events.ts";
import { object, objects, text } from "../fields.ts";
import { bodyError, frameError } from "../frame.ts";
import { readFinishedItem, readFinishedResponse } from "./event-readers.ts";

const WIRE_TYPE = "response";

export function readBuffered(body: JsonValue): readonly WireEvent[] {
  const response = object(body);
  const status = text(response?.["status"]);
  // A response carries its error inside, beside its own status; an error body has no status.
  if (response === null || status === null) {
    return [bodyError(body) ?? frameError(WIRE_TYPE, "no_response", "STREAM_MALFORMED")];
  }
  const output = response["output"] ?? [];
  if (!isJsonArray(output) || objects(output).length < output.length) return [malformed()];
  const items = objects(output).flatMap((item, index) => readItemAt(item, index));
  const finish = readFinishedResponse(WIRE_TYPE, status, { ...response, output: [] });
  return [
    {
      type: "response_started",
      wireType: WIRE_TYPE,
      responseId: text(response["id"]),
      model: text(response["model"]),
    },
    ...items,
    ...(finish ?? [malformed()]),
  ];
}

function readItemAt(item: JsonObject, index: number): readonly WireEvent[] {
  return readFinishedItem(WIRE_TYPE, String(index), item) ?? [malformed()];
}

function malformed(): WireEvent {
  return frameError(WIRE_TYPE, "malformed_response", "STREAM_MALFORMED");
}
