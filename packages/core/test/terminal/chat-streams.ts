import {
  createResponseReader,
  readBufferedResponse,
  type ResponseReaderOptions,
  type ResponseReading,
  type TransportEnd,
} from "@airlock/core/terminal";
import { ADAPTERS } from "@airlock/core/wire";
import { LIMITS } from "./streams.ts";

const encoder = new TextEncoder();

export const DONE = "data: [DONE]\n\n";

/** One chunk with one choice, as the protocol writes it. */
export function chunk(delta: object, fields: object = {}): string {
  return chunkOf({ delta, finish_reason: null, ...fields });
}

export function chunkOf(choice: object, fields: object = {}): string {
  const choices = [{ index: 0, ...choice }];
  return data({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 7,
    model: "m",
    choices,
    ...fields,
  });
}

export function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

export const ROLE = chunk({ role: "assistant", content: "" });

/** A chunk with fragments of calls. */
export function calls(...fragments: readonly object[]): string {
  return chunk({ tool_calls: fragments });
}

/** A fragment; a name or arguments that are left out are not in it. */
export function call(identity: object, name?: string, args?: unknown): object {
  return {
    ...identity,
    function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
  };
}

export function finish(reason: unknown, fields: object = {}): string {
  return chunk({}, { finish_reason: reason, ...fields });
}

export function usage(outputTokens: number): string {
  return data({
    id: "chatcmpl-1",
    choices: [],
    usage: { prompt_tokens: 3, completion_tokens: outputTokens },
  });
}

export function readChatPieces(
  pieces: Iterable<Uint8Array>,
  end: TransportEnd = "clean",
  options: Partial<ResponseReaderOptions> = {},
): ResponseReading {
  const reader = createResponseReader(ADAPTERS.chat, { ...LIMITS, ...options });
  for (const piece of pieces) {
    if (reader.push(piece) === "closed") break;
  }
  return reader.end(end);
}

export function readChat(
  stream: string | Uint8Array,
  options: Partial<ResponseReaderOptions> = {},
  end: TransportEnd = "clean",
): ResponseReading {
  return readChatPieces([typeof stream === "string" ? encoder.encode(stream) : stream], end, options);
}

export function readWhole(
  family: keyof typeof ADAPTERS,
  body: unknown,
  options: Partial<ResponseReaderOptions> = {},
): ResponseReading {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return readBufferedResponse(
    ADAPTERS[family],
    { bytes: encoder.encode(text), end: "clean" },
    { ...LIMITS, ...options },
  );
}
