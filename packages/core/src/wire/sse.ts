// Takes the bytes of one event stream, gives its messages and says how it ended; refuses bytes that are not
// UTF-8 and anything over the limits. `id:` and `retry:` are dropped: nothing here ever reconnects or resumes.
import { createParser } from "eventsource-parser";
import { createBareJson } from "./bare-json.ts";
import { createBlockFinder, createPlainBlockReader } from "./sse-blocks.ts";
import { createUtf8Reader } from "./utf8.ts";

const LF = 0x0a;
const CR = 0x0d;
const BOM = "\uFEFF";

export interface SseMessage {
  readonly event: string | null;
  readonly data: string;
  /** JSON outside any field, as broken proxies write their errors: never a message to trust. */
  readonly bare: boolean;
}

type Failure = "message_overflow" | "stream_overflow" | "bad_utf8";

export type SseEnd = "clean" | "mid_line" | "mid_event" | Failure;

export interface SseLimits {
  /** Bytes of one message, all of its lines; comments don't count. */
  readonly maxMessageBytes: number;
  readonly maxStreamBytes: number;
}

export interface SseReader {
  /** Lazy: whoever stops after a message leaves the rest of the chunk unread and uncounted. */
  read(chunk: Uint8Array): Generator<SseMessage, void>;
  /** To be called once, at the end of the body; gives the last message if only its blank line is missing. */
  end(): { readonly end: SseEnd; readonly messages: readonly SseMessage[] };
  /** Set as soon as nothing more can be read. */
  readonly failure: Failure | null;
  readonly bytes: number;
}

interface State {
  /** Bytes of the unfinished message in its whole lines, and in the line that is still open. */
  messageBytes: number;
  lineBytes: number;
  lineIsEmpty: boolean;
  lineIsComment: boolean;
  streamBytes: number;
  atStart: boolean;
  afterCarriageReturn: boolean;
  failure: Failure | null;
}

/** A reader for one response: neither the UTF-8 state nor the buffers are ever shared between streams. */
export function createSseReader(limits: SseLimits): SseReader {
  const state = createState();
  // The decoder keeps the byte order mark, so that exactly one is stripped, and here.
  const whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const utf8 = createUtf8Reader(whole);
  const readPlainBlock = createPlainBlockReader();
  const queue: SseMessage[] = [];
  const parser = createQueueParser(queue, limits.maxMessageBytes);

  function take(bytes: Uint8Array): void {
    const text = utf8.read(bytes.subarray(0, roomFor(state, limits)));
    if (text === null) refuseLine(state);
    else if (countBytes(state, limits, bytes.length)) parser.feed(enterText(state, text, bytes.length));
  }

  /** Most blocks are one message; others may be none, such as a comment. */
  function takeBlock(text: string, bytes: number): SseMessage | null {
    state.streamBytes += bytes;
    const message = readPlainBlock(text);
    if (message === null) parser.feed(text);
    else parser.flush();
    return message;
  }

  return {
    *read(chunk) {
      const nextBlock = createBlockFinder(chunk, whole);
      const lineEnd = createLineFinder(chunk);
      for (let from = 0; from < chunk.length && state.failure === null;) {
        const block = isBetweenMessages(state) ? nextBlock(from, roomFor(state, limits)) : null;
        const to = block?.to ?? lineEnd(from);
        const message = block === null ? null : takeBlock(block.text, to - from);
        if (block === null) take(chunk.subarray(from, to));
        if (queue.length > 0) yield* queue.splice(0);
        if (message !== null) yield message;
        from = to;
      }
    },
    end() {
      if (state.failure === null && !utf8.isWhole) state.failure = "bad_utf8";
      if (state.failure !== null) return { end: state.failure, messages: [] };
      return endOfBody(state, () => {
        parser.feed("\n\n");
        parser.flush();
        return queue.splice(0);
      });
    },
    get failure() {
      return state.failure;
    },
    get bytes() {
      return state.streamBytes;
    },
  };
}

function createState(): State {
  return {
    messageBytes: 0,
    lineBytes: 0,
    lineIsEmpty: true,
    lineIsComment: false,
    streamBytes: 0,
    atStart: true,
    afterCarriageReturn: false,
    failure: null,
  };
}

function roomFor(state: State, limits: SseLimits): number {
  return Math.min(messageRoom(state, limits), limits.maxStreamBytes - state.streamBytes);
}

function messageRoom(state: State, limits: SseLimits): number {
  return limits.maxMessageBytes - state.messageBytes - state.lineBytes;
}

function isBetweenMessages(state: State): boolean {
  return !state.atStart && !state.afterCarriageReturn && state.messageBytes === 0 && state.lineBytes === 0;
}

/** Nothing of a line with a bad byte counts, so that it does not matter where the line was split. */
function refuseLine(state: State): void {
  state.failure = "bad_utf8";
  state.streamBytes -= state.lineBytes;
}

/** False once a limit is passed; the count then stops one byte beyond it, however the bytes were split. */
function countBytes(state: State, limits: SseLimits, bytes: number): boolean {
  const room = roomFor(state, limits);
  // The nearer limit is the one that is passed, however the bytes were split.
  const failure = messageRoom(state, limits) === room ? "message_overflow" : "stream_overflow";
  state.streamBytes += Math.min(bytes, room + 1);
  if (bytes > room) state.failure = failure;
  return bytes <= room;
}

/** `flush` gives what stands outside any field, before something else follows that the parser does not see. */
function createQueueParser(
  queue: SseMessage[],
  maxBufferSize: number,
): { feed(text: string): void; flush(): void } {
  const bare = createBareJson(queue);
  const parser = createParser({
    // Counted in UTF-16 units, never more than the bytes that were counted before: a second fence.
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
  return { feed: (text) => parser.feed(text), flush: () => bare.flush() };
}

/** One line end, or the rest of the chunk: what is read and counted does not depend on how bytes were split. */
function createLineFinder(chunk: Uint8Array): (from: number) => number {
  const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  const hasReturns = view.includes(CR);
  return (from) => {
    const feed = view.indexOf(LF, from);
    const end = feed === -1 ? view.length : feed + 1;
    const found = hasReturns ? view.subarray(from, end).indexOf(CR) : -1;
    return found === -1 ? end : from + found + 1;
  };
}

/** Keeps the line state and gives the text for the parser, in which each CR LF, CR or LF is one LF. */
function enterText(state: State, decoded: string, bytes: number): string {
  let text = decoded;
  if (state.atStart && text !== "") {
    state.atStart = false;
    if (text.startsWith(BOM)) text = text.slice(1);
  }
  const secondHalf = state.afterCarriageReturn && text === "\n";
  if (text !== "") state.afterCarriageReturn = text.endsWith("\r");
  if (secondHalf) return "";
  const blank = state.lineIsEmpty && (text === "\n" || text === "\r");
  if (state.lineIsEmpty && text !== "") {
    state.lineIsEmpty = false;
    state.lineIsComment = text.startsWith(":");
  }
  state.lineBytes += bytes;
  if (!text.endsWith("\n") && !text.endsWith("\r")) return text;
  if (blank) state.messageBytes = 0;
  else if (!state.lineIsComment) state.messageBytes += state.lineBytes;
  state.lineBytes = 0;
  state.lineIsEmpty = true;
  return `${text.slice(0, -1)}\n`;
}

function endOfBody(
  state: State,
  flush: () => SseMessage[],
): { readonly end: SseEnd; readonly messages: readonly SseMessage[] } {
  const lineIsOpen = state.lineBytes > 0 && !state.lineIsComment;
  if (!lineIsOpen && state.messageBytes === 0) return { end: "clean", messages: flush() };
  const messages = flush().filter((message) => message.bare || isWhole(message.data));
  if (messages.some((message) => !message.bare)) return { end: "clean", messages };
  return { end: lineIsOpen ? "mid_line" : "mid_event", messages };
}

/** Some gateways leave out the last blank line: what is whole JSON by itself was not cut. */
function isWhole(data: string): boolean {
  if (data.trim() === "[DONE]") return true;
  try {
    return typeof JSON.parse(data) === "object";
  } catch {
    // Cut in the middle: the message is dropped and the end of the stream says so.
    return false;
  }
}
