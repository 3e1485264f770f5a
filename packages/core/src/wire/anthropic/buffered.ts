// Takes the JSON of one whole message, gives the wire events that its stream would have given; refuses what is
// neither a message nor an error.
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/index.ts";
import type { WireEvent } from "../events.ts";
import { objects } from "../fields.ts";
import { bodyError, frameError, type Frame } from "../frame.ts";
import { sourceKey, sourceTexts, type SourcePath } from "../source-text.ts";
import { createMessageReader } from "./message-reader.ts";

export function readBuffered(body: JsonValue, text: string): readonly WireEvent[] {
  const error = bodyError(body);
  if (error !== null) return [error];
  const blocks = isJsonObject(body) ? wholeBlocks(body) : null;
  if (!isJsonObject(body) || blocks === null) {
    return [frameError("message", "malformed_body", "STREAM_MALFORMED")];
  }
  const reader = createMessageReader();
  const inputs = sourceTexts(text, "input");
  const read = (frame: Frame, path: SourcePath = []): readonly WireEvent[] => {
    const events = reader.read(frame, () => inputs.get(sourceKey(path)) ?? null);
    return events === "unknown" ? [] : events;
  };
  const {
    content: _content,
    usage = null,
    stop_reason = null,
    stop_sequence = null,
    stop_details = null,
    ...head
  } = body;
  return [
    ...read(frame("message_start", { message: head })),
    ...blocks.flatMap((block, index) => [
      ...read(frame("content_block_start", { index, content_block: block }), ["content", index, "input"]),
      ...read(frame("content_block_stop", { index })),
    ]),
    ...read(frame("message_delta", { delta: { stop_reason, stop_sequence, stop_details }, usage })),
    ...reader.end(),
  ];
}

function wholeBlocks(body: JsonObject): readonly JsonObject[] | null {
  const content = body["content"];
  const blocks = objects(content);
  return Array.isArray(content) && blocks.length === content.length ? blocks : null;
}

function frame(wireType: string, data: JsonObject): Frame {
  return { wireType, data };
}
