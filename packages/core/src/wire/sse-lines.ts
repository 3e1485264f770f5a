// Takes the bytes of one event stream in any pieces, gives its messages line by line, whatever its line ends; refuses
// bytes that are not UTF-8 and anything over the limits.
import { createParser } from "eventsource-parser";
import type { SseEnd, SseLimits, SseMessage } from "./sse.ts";
import { createUtf8Reader } from "./utf8.ts";

const LF = 0x0a;
const CR = 0x0d;
const BOM = "\uFEFF";

interface State {
  /** Bytes of the unfinished message in its whole lines, and in the line that is still open. */
  messageBytes: number;
  lineBytes: number;
  lineIsEmpty: boolean;
  lineIsComment: boolean;
  streamBytes: number;
  atStart: boolean;
  afterCarriageReturn: boolean;
  failure: "overflow" | "bad_utf8" | null;
}

export interface LineReader {
  /** Reads the bytes as far as `untilMessage` says: to the end of a message, or all of them. Returns how far. */
  read(bytes: Buffer, untilMessage: boolean): Generator<SseMessage, number>;
  /** Reads a whole block that was counted already. */
  readBlock(block: string): readonly SseMessage[];
  /** Bytes that were read elsewhere, as whole blocks. */
  count(bytes: number): void;
  end(): { readonly end: SseEnd; readonly messages: readonly SseMessage[] };
  /** Bytes that may still come before a limit is passed. */
  readonly room: number;
  readonly isBetweenMessages: boolean;
  readonly failure: State["failure"];
  readonly bytes: number;
}

export function createLineReader(limits: SseLimits, decoder: InstanceType<typeof TextDecoder>): LineReader {
  const state = createState();
  const utf8 = createUtf8Reader(decoder);
  const queue: SseMessage[] = [];
  const parser = createQueueParser(queue, limits.maxMessageBytes);

  function takeLine(bytes: Uint8Array): void {
    const text = utf8.read(bytes.subarray(0, roomFor(state, limits)));
    if (text === null) refuseLine(state);
    else if (countBytes(state, limits, bytes.length)) parser.feed(enterText(state, text, bytes.length));
  }

  function feed(text: string): readonly SseMessage[] {
    parser.feed(text);
    return queue.splice(0);
  }

  return {
    *read(bytes, untilMessage) {
      const lineEnd = createLineFinder(bytes);
      let from = 0;
      while (from < bytes.length && state.failure === null) {
        const to = lineEnd(from);
        takeLine(bytes.subarray(from, to));
        if (queue.length > 0) yield* queue.splice(0);
        from = to;
        if (untilMessage && isBetweenMessages(state)) break;
      }
      return from;
    },
    readBlock: feed,
    count(bytes) {
      state.streamBytes += bytes;
    },
    end() {
      if (state.failure === null && !utf8.isWhole) state.failure = "bad_utf8";
      if (state.failure !== null) return { end: state.failure, messages: [] };
      return endOfBody(state, () => feed("\n\n"));
    },
    get room() {
      return roomFor(state, limits);
    },
    get isBetweenMessages() {
      return isBetweenMessages(state);
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
  return Math.min(
    limits.maxMessageBytes - state.messageBytes - state.lineBytes,
    limits.maxStreamBytes - state.streamBytes,
  );
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
  state.streamBytes += Math.min(bytes, room + 1);
  if (bytes > room) state.failure = "overflow";
  return bytes <= room;
}

function createQueueParser(queue: SseMessage[], maxBufferSize: number): { feed(text: string): void } {
  const parser = createParser({
    // Counted in UTF-16 units, never more than the bytes that were counted before: a second fence.
    maxBufferSize,
    onEvent: ({ event, data }) => queue.push({ event: event ?? null, data, bare: false }),
    onError: ({ line }) => {
      if (line?.trimStart().startsWith("{") === true) queue.push({ event: null, data: line, bare: true });
    },
  });
  // The parser looks for a mis-decoded byte order mark in its first chunk: that chunk is this empty one.
  parser.feed("");
  return parser;
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
  flush: () => readonly SseMessage[],
): { readonly end: SseEnd; readonly messages: readonly SseMessage[] } {
  const lineIsOpen = state.lineBytes > 0 && !state.lineIsComment;
  if (!lineIsOpen && state.messageBytes === 0) return { end: "clean", messages: [] };
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
