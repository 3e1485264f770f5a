// Takes a request and its deadlines, gives the one reading of the response, however it ends;
// refuses redirects and error statuses; a body that doesn't say that it is an event stream is sniffed first.
import {
  createResponseReader,
  createSniffedReader,
  type LastEvents,
  type ResponseReader,
  type ResponseReaderOptions,
  type ResponseReading,
  type StopSequence,
  type TransportEnd,
} from "@airlock/core/terminal";
import type { Adapter } from "@airlock/core/wire";
import { request as send, type Dispatcher } from "undici";
import type { ReaderLimits } from "../config.ts";
import type { RouteRequest } from "./build-request.ts";
import { asCode, readErrorCode } from "./error-code.ts";
import type { Deadlines } from "./deadlines.ts";
import { onRequestStart } from "./on-request-start.ts";
import { retryAfter } from "./retry-after.ts";

export interface StreamedResponse {
  readonly reading: ResponseReading;
  /** null where nothing was read */
  readonly lastEvents: LastEvents | null;
  readonly httpStatus: number | null;
  /** the provider's own word for an error status, or for an error within the stream */
  readonly errorCode: string | null;
  readonly retryAfterMs: number | null;
  /** when its last bytes came, by the clock of `performance`; left out or null where none did */
  readonly lastBytesAt?: number | null;
}

export interface StreamOptions {
  readonly adapter: Adapter;
  readonly dispatcher: Dispatcher;
  readonly deadlines: Deadlines;
  readonly limits: ReaderLimits;
  readonly maxOutputTokens: number | null;
  readonly closingMarker: "required" | "optional";
  /** left out: none, and a stop by any is refused */
  readonly stopSequences?: readonly StopSequence[];
  /** sees every byte of a successful response before it is read */
  readonly onBytes?: ((bytes: Uint8Array) => void) | undefined;
  readonly onItem?: ResponseReaderOptions["onItem"];
}

export async function streamResponse(
  request: RouteRequest,
  options: StreamOptions,
): Promise<StreamedResponse> {
  const { adapter, deadlines } = options;
  let response: Dispatcher.ResponseData;
  try {
    const sent = send(request.url, {
      method: "POST",
      headers: request.headers,
      body: request.body,
      dispatcher: onRequestStart(options.dispatcher, () => deadlines.connected()),
      signal: deadlines.signal,
    });
    // undici looks at the signal only once it is connected
    response = await Promise.race([sent, rejection(deadlines.signal)]);
  } catch {
    // which error it was says less than when it came
    return unanswered(openReader(options, null), deadlines);
  }
  const { statusCode: httpStatus, headers, body } = response;
  const retryAfterMs = retryAfter(headers["retry-after"], headers["date"]);
  try {
    if (httpStatus < 200 || httpStatus > 299) {
      const errorCode = await readErrorCode(adapter, body).catch(() => null);
      const reading = openReader(options, null).end("http_error");
      return { reading, lastEvents: null, httpStatus, errorCode, retryAfterMs };
    }
    const reader = openReader(options, headers["content-type"]);
    const { end, lastBytesAt } = await readBody(body, watched(reader, options.onBytes), deadlines);
    const reading = reader.end(end);
    const known = { lastEvents: reader.lastEvents(), errorCode: asCode(reading.errorCode ?? null) };
    return { reading, ...known, httpStatus, retryAfterMs, lastBytesAt };
  } finally {
    deadlines.clear();
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(new Error("aborted"));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

function unanswered(reader: ResponseReader, deadlines: Deadlines): StreamedResponse {
  deadlines.clear();
  const reading = reader.end(deadlines.expired() ?? (deadlines.isConnected ? "reset" : "connect_error"));
  return { reading, lastEvents: null, httpStatus: null, errorCode: null, retryAfterMs: null };
}

function openReader(
  { adapter, limits, maxOutputTokens, closingMarker, stopSequences = [], onItem }: StreamOptions,
  contentType: string | string[] | null | undefined,
): ResponseReader {
  const readerOptions = {
    maxMessageBytes: limits.maxMessageBytes,
    maxStreamBytes: limits.maxStreamBytes,
    maxArgumentBytes: limits.maxArgumentBytes,
    maxItems: limits.maxItems,
    requestedMaxOutputTokens: maxOutputTokens,
    closingMarker,
    stopSequences,
    onItem,
  };
  const type = Array.isArray(contentType) ? contentType[0] : contentType;
  const events = type?.split(";")[0]?.trim().toLowerCase() === "text/event-stream";
  return events ? createResponseReader(adapter, readerOptions) : createSniffedReader(adapter, readerOptions);
}

function watched(reader: ResponseReader, onBytes: StreamOptions["onBytes"]): Pick<ResponseReader, "push"> {
  if (onBytes === undefined) return reader;
  return {
    push(chunk) {
      onBytes(chunk);
      return reader.push(chunk);
    },
  };
}

async function readBody(
  body: Dispatcher.ResponseData["body"],
  reader: Pick<ResponseReader, "push">,
  deadlines: Deadlines,
): Promise<{ readonly end: TransportEnd; readonly lastBytesAt: number | null }> {
  let lastBytesAt: number | null = null;
  const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  for (;;) {
    // only the connection may fail here: a fault of the reader must not look like a broken stream
    const next = await chunks.next().catch(() => null);
    if (next === null) return { end: deadlines.expired() ?? "reset", lastBytesAt };
    if (next.done === true) return { end: "clean", lastBytesAt };
    deadlines.alive();
    lastBytesAt = performance.now();
    if (reader.push(next.value) === "closed") {
      await chunks.return?.(undefined).catch(() => undefined); // cancels the body
      return { end: "closed_by_marker", lastBytesAt };
    }
  }
}
