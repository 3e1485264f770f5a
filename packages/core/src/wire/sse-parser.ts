// Takes the text of one event stream in any pieces, gives its messages, and what stands outside any field as one too.
import { createParser } from "eventsource-parser";
import { createBareJson } from "./bare-json.ts";
import type { SseMessage } from "./sse.ts";

export interface MessageParser {
  feed(text: string): readonly SseMessage[];
  /** What stands outside any field, before something else follows that the parser does not see. */
  flush(): readonly SseMessage[];
  readonly isHolding: boolean;
}

const NOTHING: readonly SseMessage[] = [];

/** `maxBufferSize` counts UTF-16 units, never more than the bytes that were counted before: a second fence. */
export function createMessageParser(maxBufferSize: number): MessageParser {
  const queue: SseMessage[] = [];
  const bare = createBareJson(queue);
  const parser = createParser({
    maxBufferSize,
    onEvent: ({ event, data }) => {
      bare.flush();
      queue.push({ event: event ?? null, data, bare: false });
    },
    onError: ({ line }) => {
      if (line !== undefined) bare.take(line);
    },
  });
  // The parser looks for a mis-decoded byte order mark in its first chunk: that chunk is this empty one.
  parser.feed("");
  const take = (): readonly SseMessage[] => (queue.length === 0 ? NOTHING : queue.splice(0));
  return {
    feed(text) {
      parser.feed(text);
      return take();
    },
    flush() {
      bare.flush();
      return take();
    },
    get isHolding() {
      return bare.isHolding;
    },
  };
}
