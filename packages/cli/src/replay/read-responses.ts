// Takes recorded bytes, gives the reading of each response in them; refuses to take what follows a closing marker
// for another response unless it has an id of its own, since a client leaves the connection at the marker.
import {
  createResponseReader,
  createSniffedReader,
  readBufferedResponse,
  type ResponseReader,
  type ResponseReaderOptions,
  type ResponseReading,
  type TransportEnd,
} from "@airlock/core/terminal";
import { ADAPTERS, type Family } from "@airlock/core/wire";

export interface ReplayOptions {
  readonly family: Family;
  /** The file is one whole JSON body. A stream that is one in truth is read so, too. */
  readonly buffered: boolean;
  readonly closingMarker: "required" | "optional";
  readonly maxOutputTokens: number | null;
  /** Bytes that are read at a time; null for all at once. */
  readonly chunkBytes: number | null;
  /** How the connection ended after the bytes; left out for a clean end. */
  readonly end?: TransportEnd;
  readonly limits?: Partial<ReplayLimits>;
}

export type ReplayLimits = Pick<
  ResponseReaderOptions,
  "maxArgumentBytes" | "maxItems" | "maxMessageBytes" | "maxStreamBytes"
>;

/** The streamer's. */
export const REPLAY_LIMITS: ReplayLimits = {
  maxMessageBytes: 16 * 1024 * 1024,
  maxStreamBytes: 64 * 1024 * 1024,
  maxArgumentBytes: 1024 * 1024,
  maxItems: 128,
};

export function readResponses(bytes: Uint8Array, options: ReplayOptions): readonly ResponseReading[] {
  const first = readResponse(bytes, options);
  const readings = [first];
  let from = first.transport.bytes;
  for (let last = first; last.transport.end === "closed_by_marker" && from < bytes.length;) {
    last = readStream(bytes.subarray(from), options);
    const { responseId } = last;
    if (responseId === null || readings.some((reading) => reading.responseId === responseId)) break;
    readings.push(last);
    from += last.transport.bytes;
  }
  return readings;
}

/** A recording does not say what it is: where nobody says it either, its first byte does. */
function readResponse(bytes: Uint8Array, options: ReplayOptions): ResponseReading {
  const adapter = ADAPTERS[options.family];
  if (options.buffered) {
    return readBufferedResponse(adapter, { bytes, end: options.end ?? "clean" }, readerOptions(options));
  }
  return feed(createSniffedReader(adapter, readerOptions(options)), bytes, options);
}

function readStream(bytes: Uint8Array, options: ReplayOptions): ResponseReading {
  return feed(createResponseReader(ADAPTERS[options.family], readerOptions(options)), bytes, options);
}

function feed(reader: ResponseReader, bytes: Uint8Array, options: ReplayOptions): ResponseReading {
  const step = Math.max(1, options.chunkBytes ?? bytes.length);
  for (let from = 0; from < bytes.length; from += step) {
    if (reader.push(bytes.subarray(from, from + step)) === "closed") break;
  }
  return reader.end(options.end ?? "clean");
}

function readerOptions({ closingMarker, maxOutputTokens, limits }: ReplayOptions): ResponseReaderOptions {
  return { ...REPLAY_LIMITS, ...limits, closingMarker, requestedMaxOutputTokens: maxOutputTokens };
}
