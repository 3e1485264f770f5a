// Takes a request and its deadlines, gives the one reading of the response, however it ends;
// refuses redirects, error statuses and bodies that are not an event stream before a byte is decoded.
import { createResponseReader, type ResponseReading, type TransportEnd } from "@airlock/core/terminal";
import type { Adapter } from "@airlock/core/wire";
import { request as send, type Dispatcher } from "undici";
import type { RouteRequest } from "./build-request.ts";
import type { Deadlines } from "./deadlines.ts";

/** Limits of the design's section 10. */
const LIMITS = {
  maxMessageBytes: 16 * 1024 * 1024,
  maxStreamBytes: 64 * 1024 * 1024,
  maxArgumentBytes: 1024 * 1024,
  maxItems: 128,
} as const;

export interface StreamedResponse {
  readonly reading: ResponseReading;
  readonly httpStatus: number | null;
  readonly retryAfterMs: number | null;
}

export interface StreamOptions {
  readonly adapter: Adapter;
  readonly dispatcher: Dispatcher;
  readonly deadlines: Deadlines;
  readonly maxOutputTokens: number | null;
}

export async function streamResponse(
  request: RouteRequest,
  options: StreamOptions,
): Promise<StreamedResponse> {
  const { adapter, deadlines, maxOutputTokens } = options;
  const reader = createResponseReader(adapter, { ...LIMITS, requestedMaxOutputTokens: maxOutputTokens });
  let httpStatus: number | null = null;
  let retryAfterMs: number | null = null;
  let end: TransportEnd;
  const faults = new Set<unknown>();
  const read = (chunk: Uint8Array): "open" | "closed" => {
    try {
      return reader.push(chunk);
    } catch (error) {
      faults.add(error);
      throw error;
    }
  };
  try {
    const response = await send(request.url, {
      method: "POST",
      headers: request.headers,
      body: request.body,
      dispatcher: options.dispatcher,
      signal: deadlines.signal,
    });
    deadlines.connected();
    httpStatus = response.statusCode;
    retryAfterMs = retryAfter(response.headers["retry-after"]);
    end = await readBody(response, { read, deadlines });
  } catch (error) {
    if (faults.has(error)) throw error; // a bug of ours must not look like a broken stream
    // which error it was says less than when it came: before the headers, or in the middle of the stream
    end = deadlines.expired() ?? (httpStatus === null ? "connect_error" : "reset");
  } finally {
    deadlines.clear();
  }
  return { reading: reader.end(end), httpStatus, retryAfterMs };
}

async function readBody(
  response: Dispatcher.ResponseData,
  {
    read,
    deadlines,
  }: { readonly read: (chunk: Uint8Array) => "open" | "closed"; readonly deadlines: Deadlines },
): Promise<TransportEnd> {
  const { statusCode, headers, body } = response;
  const refused = refusal(statusCode, headers["content-type"]);
  if (refused !== null) {
    body.on("error", () => undefined).destroy(); // an aborted body reports itself as an error
    return refused;
  }
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    deadlines.alive();
    if (read(chunk) === "closed") return "closed_by_marker"; // leaving the loop cancels the body
  }
  return "clean";
}

function refusal(status: number, contentType: string | string[] | undefined): TransportEnd | null {
  if (status < 200 || status > 299) return "http_error";
  const type = Array.isArray(contentType) ? contentType[0] : contentType;
  return type?.split(";")[0]?.trim().toLowerCase() === "text/event-stream" ? null : "bad_content_type";
}

/** Seconds, as HTTP has it; a date or nonsense counts as not given. */
function retryAfter(header: string | string[] | undefined): number | null {
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(Math.min(seconds, 600) * 1_000) : null;
}
