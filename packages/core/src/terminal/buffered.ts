// Takes the bytes of a whole JSON response and how the transport ended, gives the same reading as its stream
// would; refuses bytes that are not UTF-8, bodies over the limit, and anything but one JSON text.
import type { JsonValue } from "../json/index.ts";
import type { Adapter, WireEvent } from "../wire/index.ts";
import { createAccumulator } from "./accumulate.ts";
import { conclude } from "./conclude.ts";
import type { ResponseReaderOptions } from "./reader.ts";
import type { ResponseReading } from "./reading.ts";
import type { TransportEnd } from "./transport-ends.ts";

export interface BufferedBody {
  readonly bytes: Uint8Array;
  readonly end: TransportEnd;
}

/** For a route that answers a request for a stream with one body, an error most often. */
export function readBufferedResponse(
  adapter: Adapter,
  body: BufferedBody,
  options: ResponseReaderOptions,
): ResponseReading {
  const accumulator = createAccumulator(options);
  const text = decodeBody(body, options.maxStreamBytes);
  const end = text.end ?? body.end;
  if (text.end === null && isWholeEnd(body.end)) {
    for (const event of readBody(adapter, text.value)) accumulator.apply(event);
  }
  const transport = { end, bytes: body.bytes.length, messages: text.end === null ? 1 : 0, unknownEvents: 0 };
  return conclude(adapter, options, { state: accumulator.state, transport, needsMarker: false });
}

function isWholeEnd(end: TransportEnd): boolean {
  return end === "clean" || end === "closed_by_marker";
}

type BodyText =
  | { readonly end: null; readonly value: string }
  | { readonly end: "stream_overflow" | "bad_utf8"; readonly value: null };

function decodeBody(body: BufferedBody, maxBytes: number): BodyText {
  if (body.bytes.length > maxBytes) return { end: "stream_overflow", value: null };
  try {
    // One byte order mark is stripped by the decoder.
    return { end: null, value: new TextDecoder("utf-8", { fatal: true }).decode(body.bytes) };
  } catch {
    // A fatal decoder throws for exactly one reason; the caller names it.
    return { end: "bad_utf8", value: null };
  }
}

function readBody(adapter: Adapter, text: string): readonly WireEvent[] {
  if (text.trim() === "") return [];
  try {
    // A wire body, not model text: the arguments of a call are text inside it and stay so.
    const body: unknown = JSON.parse(text);
    return isJsonValue(body) ? adapter.readBuffered(body, text) : [];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const fault = { code: "invalid_json", message: null, errorClass: "STREAM_MALFORMED" } as const;
    return [{ type: "stream_error", wireType: "", ...fault }];
  }
}

/** JSON.parse gives nothing else. */
function isJsonValue(value: unknown): value is JsonValue {
  return value !== undefined;
}
