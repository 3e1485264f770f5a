import type { JsonObject } from "@airlock/core/json";
import {
  createResponseReader,
  type ResponseReaderOptions,
  type ResponseReading,
  type TransportEnd,
} from "@airlock/core/terminal";
import { ADAPTERS } from "@airlock/core/wire";

export const LIMITS: ResponseReaderOptions = {
  maxMessageBytes: 16 * 2 ** 20,
  maxStreamBytes: 64 * 2 ** 20,
  maxArgumentBytes: 2 ** 20,
  maxItems: 128,
  requestedMaxOutputTokens: null,
};

const encoder = new TextEncoder();

/** One frame as the protocol writes it. */
export function frame(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

export const CREATED = frame("response.created", {
  response: { id: "resp_1", model: "m", status: "in_progress" },
});

export function added(index: number, item: object): string {
  return frame("response.output_item.added", { output_index: index, item });
}

export function done(index: number, item: object): string {
  return frame("response.output_item.done", { output_index: index, item });
}

export function delta(index: number, text: string): string {
  return frame("response.function_call_arguments.delta", { output_index: index, delta: text });
}

export function argumentsDone(index: number, text: string, fields: object = {}): string {
  return frame("response.function_call_arguments.done", { output_index: index, arguments: text, ...fields });
}

export function ended(status: string, fields: object = {}): string {
  return frame(`response.${status}`, { response: { id: "resp_1", status, ...fields } });
}

export function functionCall(fields: object = {}): JsonObject {
  return {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "read_file",
    arguments: "{}",
    ...fields,
  };
}

export function message(text: string, fields: object = {}): JsonObject {
  return {
    type: "message",
    id: "msg_1",
    role: "assistant",
    content: [{ type: "output_text", text }],
    ...fields,
  };
}

export function wholeCall(index: number, item: JsonObject): string {
  return added(index, { ...item, arguments: "" }) + done(index, item);
}

/** Reads a stream in the given pieces, and stops like a client does: at the marker. */
export function readPieces(
  pieces: Iterable<Uint8Array>,
  end: TransportEnd = "clean",
  options: Partial<ResponseReaderOptions> = {},
): ResponseReading {
  const reader = createResponseReader(ADAPTERS.responses, { ...LIMITS, ...options });
  for (const piece of pieces) {
    if (reader.push(piece) === "closed") break;
  }
  return reader.end(end);
}

export function read(
  stream: string | Uint8Array,
  end: TransportEnd = "clean",
  options: Partial<ResponseReaderOptions> = {},
): ResponseReading {
  return readPieces([typeof stream === "string" ? encoder.encode(stream) : stream], end, options);
}

/** What a case says about a reading: how it ended, why, and each item's fate. */
export function summary(
  reading: ResponseReading,
): readonly [string, string | null, readonly (string | null)[]] {
  const { kind, action } = reading.outcome;
  return [
    action === null ? kind : `${kind}:${action}`,
    reading.errorClass,
    reading.items.map((item) => item.errorClass),
  ];
}

export function executable(reading: ResponseReading): boolean {
  return (
    reading.outcome.action === "tool" &&
    reading.items.some((item) => item.kind === "tool_call" && item.state === "ITEM_TERMINAL")
  );
}
