import {
  createResponseReader,
  readBufferedResponse,
  type ResponseReaderOptions,
  type ResponseReading,
  type TransportEnd,
} from "@airlock/core/terminal";
import { ADAPTERS, type Family } from "@airlock/core/wire";

export const LIMITS: ResponseReaderOptions = {
  maxMessageBytes: 16 * 2 ** 20,
  maxStreamBytes: 64 * 2 ** 20,
  maxArgumentBytes: 2 ** 20,
  maxItems: 128,
  requestedMaxOutputTokens: null,
  closingMarker: "optional",
};

export interface ReadOptions extends Partial<ResponseReaderOptions> {
  readonly end?: TransportEnd;
}

const encoder = new TextEncoder();

/** Reads a stream in the given pieces, and stops like a client does: at the marker. */
export function readPieces(
  family: Family,
  pieces: Iterable<Uint8Array>,
  { end = "clean", ...options }: ReadOptions = {},
): ResponseReading {
  const reader = createResponseReader(ADAPTERS[family], { ...LIMITS, ...options });
  for (const piece of pieces) {
    if (reader.push(piece) === "closed") break;
  }
  return reader.end(end);
}

export function readStream(
  family: Family,
  stream: string | Uint8Array,
  options: ReadOptions = {},
): ResponseReading {
  return readPieces(family, [typeof stream === "string" ? encoder.encode(stream) : stream], options);
}

export function readBody(family: Family, body: unknown): ResponseReading {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return readBufferedResponse(ADAPTERS[family], { bytes: encoder.encode(text), end: "clean" }, LIMITS);
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

/** The calls that would be released, with their arguments as text. */
export function released(reading: ResponseReading): readonly (readonly [string | null, string])[] {
  if (reading.outcome.action !== "tool") return [];
  return reading.items
    .filter((item) => item.kind === "tool_call" && item.state === "ITEM_TERMINAL")
    .map((item) => [item.name, item.content]);
}

/** A reading without how its bytes came: what a stream and a body of the same response share. */
export function told(reading: ResponseReading): object {
  const { transport: _transport, ...rest } = reading;
  return rest;
}
