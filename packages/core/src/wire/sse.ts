// Takes the bytes of one event stream, gives its messages and says how it ended; refuses bytes that are not
// UTF-8 and anything over the limits. `id:` and `retry:` are dropped: nothing here ever reconnects or resumes.
import { createHeldBytes, createPlainBlockReader, findRun, type Blocks, type Run } from "./sse-blocks.ts";
import { createLineReader } from "./sse-lines.ts";

const NONE = new Uint8Array();
const never = (): boolean => false;

export interface SseMessage {
  readonly event: string | null;
  readonly data: string;
  /** JSON outside any field, as broken proxies write their errors: never a message to trust. */
  readonly bare: boolean;
}

export type SseFailure = "message_overflow" | "stream_overflow" | "bad_utf8";

export type SseEnd = "clean" | "mid_line" | "mid_event" | SseFailure;

export interface SseLimits {
  /** Bytes of one message, all of its lines; comments don't count. */
  readonly maxMessageBytes: number;
  readonly maxStreamBytes: number;
}

export interface SseReader {
  /** Lazy: whoever stops after a message leaves the rest of the chunk unread and uncounted. */
  read(chunk: Uint8Array): Generator<SseMessage, void>;
  /**
   * To be called once. Gives what no `read` has given since something was to follow; of a body that was not broken off,
   * also the last message if only its blank line is missing.
   */
  end(how?: "whole" | "broken"): { readonly end: SseEnd; readonly messages: readonly SseMessage[] };
  /** Set as soon as nothing more can be read. */
  readonly failure: SseFailure | null;
  readonly bytes: number;
}

/**
 * A reader for one response: neither the UTF-8 state nor the buffers are ever shared between streams. `skim` may read
 * any number of the blocks that stand next, which then give no messages; it says whether it has read any.
 */
export function createSseReader(limits: SseLimits, skim: (blocks: Blocks) => boolean = never): SseReader {
  const lines = createLineReader(limits);
  const held = createHeldBytes();
  const readPlainBlock = createPlainBlockReader();
  let run: Run | null = null;

  /** Most messages are blocks of plain lines that stand whole in their chunk. */
  function* readRun(found: Run): Generator<SseMessage, void> {
    run = found;
    while (found.at < found.bytes.length) {
      // What stands outside any field comes before what follows it.
      if (!lines.isHolding && skim(found)) continue;
      const block = found.next();
      const message = readPlainBlock(block);
      // Others have several lines of data, or none, such as a comment.
      yield* message === null ? lines.readBlock(block) : lines.flush();
      if (message !== null) yield message;
    }
    lines.count(found.at);
    run = null;
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
        const found = findRun(bytes, lines.room);
        if (found !== null) yield* readRun(found);
        bytes = bytes.subarray(found?.at ?? 0);
        if (held.hold(bytes, lines.room)) return;
        // Once lines are read, they are read to the end of the chunk, so that nothing is searched twice.
        isPlain = false;
      }
    },
    end(how = "whole") {
      const rest = [...lines.read(held.release(NONE), false)];
      const { end, messages } = lines.end(how);
      return { end, messages: [...rest, ...messages] };
    },
    get failure() {
      return lines.failure;
    },
    get bytes() {
      return lines.bytes + (run?.at ?? 0);
    },
  };
}
