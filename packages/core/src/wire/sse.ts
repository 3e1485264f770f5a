// Takes the bytes of one event stream, gives its messages and says how it ended; refuses bytes that are not
// UTF-8 and anything over the limits. `id:` and `retry:` are dropped: nothing here ever reconnects or resumes.
import { createHeldBytes, createPlainBlockReader, findRun, type Run } from "./sse-blocks.ts";
import { createLineReader } from "./sse-lines.ts";

const NONE = new Uint8Array();

export interface SseMessage {
  readonly event: string | null;
  readonly data: string;
  /** A line of JSON outside any field, as broken proxies write their errors: never a message to trust. */
  readonly bare: boolean;
}

export type SseEnd = "clean" | "mid_line" | "mid_event" | "overflow" | "bad_utf8";

export interface SseLimits {
  /** Bytes of one message, all of its lines; comments don't count. */
  readonly maxMessageBytes: number;
  readonly maxStreamBytes: number;
}

export interface SseReader {
  /** Lazy: whoever stops after a message leaves the rest of the chunk unread and uncounted. */
  read(chunk: Uint8Array): Generator<SseMessage, void>;
  /** What no `read` has given since its message was not whole; to be called where the body broke off. */
  rest(): readonly SseMessage[];
  /** To be called once, at the end of the body; gives the same, and the last message if only its blank line is missing. */
  end(): { readonly end: SseEnd; readonly messages: readonly SseMessage[] };
  /** Set as soon as nothing more can be read. */
  readonly failure: "overflow" | "bad_utf8" | null;
  readonly bytes: number;
}

/** A reader for one response: neither the UTF-8 state nor the buffers are ever shared between streams. */
export function createSseReader(limits: SseLimits): SseReader {
  // The decoder keeps the byte order mark, so that exactly one is stripped, by the reader of lines.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const lines = createLineReader(limits, decoder);
  const held = createHeldBytes();
  const readPlainBlock = createPlainBlockReader();
  let run: Run | null = null;

  /** Most messages are blocks of plain lines that stand whole in their chunk. */
  function* readRun(found: Run): Generator<SseMessage, void> {
    run = found;
    for (let block = found.next(); block !== null; block = found.next()) {
      const message = readPlainBlock(block);
      if (message !== null) yield message;
      // Several lines of data, or none, such as a comment.
      else yield* lines.readBlock(block);
    }
    lines.count(found.size);
    run = null;
  }

  function readRest(): readonly SseMessage[] {
    return [...lines.read(held.release(NONE), false)];
  }

  return {
    *read(chunk) {
      if (lines.failure !== null || (lines.isBetweenMessages && held.hold(chunk, lines.room))) return;
      let bytes = held.release(chunk);
      let isPlain = true;
      while (bytes.length > 0 && lines.failure === null) {
        if (!isPlain || !lines.isBetweenMessages) {
          bytes = bytes.subarray(yield* lines.read(bytes, isPlain));
          continue;
        }
        const found = findRun(bytes, decoder, lines.room);
        if (found !== null) yield* readRun(found);
        bytes = bytes.subarray(found?.size ?? 0);
        if (held.hold(bytes, lines.room)) return;
        // Once lines are read, they are read to the end of the chunk, so that nothing is searched twice.
        isPlain = false;
      }
    },
    rest: readRest,
    end() {
      const rest = readRest();
      const { end, messages } = lines.end();
      return { end, messages: [...rest, ...messages] };
    },
    get failure() {
      return lines.failure;
    },
    get bytes() {
      return lines.bytes + (run?.bytes ?? 0);
    },
  };
}
