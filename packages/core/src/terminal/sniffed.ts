// Takes the bytes of a response that does not say what it is, gives the reading of the stream or of the whole
// JSON that it turns out to be; refuses everything else, web pages most of all.
import type { Adapter } from "../wire/index.ts";
import { readBufferedResponse } from "./buffered.ts";
import { createResponseReader, type ResponseReader, type ResponseReaderOptions } from "./reader.ts";

type BodyShape = "events" | "json" | "neither";

/** For a missing or wrong content type: the first byte that is no blank decides. */
export function createSniffedReader(adapter: Adapter, options: ResponseReaderOptions): ResponseReader {
  const stream = createResponseReader(adapter, options);
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  let shape: BodyShape | null = null;

  function pushHeld(): "open" | "closed" {
    return held.splice(0).some((chunk) => stream.push(chunk) === "closed") ? "closed" : "open";
  }

  return {
    push(chunk) {
      if (shape === "neither") return "closed";
      held.push(chunk);
      heldBytes += chunk.length;
      shape ??= bodyShape(chunk);
      if (shape === "events") return pushHeld();
      return shape === "neither" || heldBytes > options.maxStreamBytes ? "closed" : "open";
    },
    end(reported) {
      if (shape === "neither") return stream.end("bad_content_type");
      if (shape === "json") {
        const bytes = Buffer.concat(held.splice(0), heldBytes);
        return readBufferedResponse(adapter, { bytes, end: reported }, options);
      }
      pushHeld();
      return stream.end(reported);
    },
    lastEvents: () => stream.lastEvents(),
  };
}

/** By first byte: `{` or `[`; then the fields of an event stream (data, event, id, retry) and its comments. */
const SHAPES: ReadonlyMap<string, BodyShape> = new Map([
  ["{", "json"],
  ["[", "json"],
  [":", "events"],
  ["d", "events"],
  ["e", "events"],
  ["i", "events"],
  ["r", "events"],
]);

/** Blanks, and the three bytes of a byte order mark. */
const SKIPPED: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);

function bodyShape(chunk: Uint8Array): BodyShape | null {
  const first = chunk.find((byte) => !SKIPPED.has(byte));
  return first === undefined ? null : (SHAPES.get(String.fromCharCode(first)) ?? "neither");
}
