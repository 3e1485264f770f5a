// Takes the bytes of one event stream in any pieces, gives its messages line by line, whatever its line ends; refuses
// bytes that are not UTF-8 and anything over the limits.
import type { SseEnd, SseFailure, SseLimits, SseMessage } from "./sse.ts";
import { createMessageParser, type MessageParser } from "./sse-parser.ts";
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
  failure: SseFailure | null;
}

export interface LineReader {
  /** Reads the bytes as far as `untilMessage` says: to the end of a message, or all of them. Returns how far. */
  read(bytes: Buffer, untilMessage: boolean): Generator<SseMessage, number>;
  /** Reads a whole block that was counted already. */
  readBlock(block: string): readonly SseMessage[];
  /** Bytes that were read elsewhere, as whole blocks. */
  count(bytes: number): void;
  /** What stands outside any field, before something follows that this reader does not see. */
  flush(): readonly SseMessage[];
  end(how: "whole" | "broken"): { readonly end: SseEnd; readonly messages: readonly SseMessage[] };
  /** Whether something stands outside any field that was not given yet. */
  readonly isHolding: boolean;
  /** Bytes that may still come before a limit is passed. */
  readonly room: number;
  readonly isBetweenMessages: boolean;
  readonly failure: SseFailure | null;
  readonly bytes: number;
}

export function createLineReader(limits: SseLimits): LineReader {
  const state = createState();
  const utf8 = createUtf8Reader();
  const parser = createMessageParser(limits.maxMessageBytes);

  function takeLine(bytes: Uint8Array): readonly SseMessage[] {
    const text = utf8.read(bytes.subarray(0, roomFor(state, limits)));
    if (text === null) refuseLine(state);
    else if (countBytes(state, limits, bytes.length))
      return parser.feed(enterText(state, text, bytes.length));
    return [];
  }

  return {
    *read(bytes, untilMessage) {
      const lineEnd = createLineFinder(bytes);
      let from = 0;
      while (from < bytes.length && state.failure === null) {
        const to = lineEnd(from);
        yield* takeLine(bytes.subarray(from, to));
        from = to;
        if (untilMessage && isBetweenMessages(state)) break;
      }
      return from;
    },
    readBlock: (block) => parser.feed(block),
    flush: () => parser.flush(),
    count(bytes) {
      state.streamBytes += bytes;
    },
    end(how) {
      if (how === "whole" && state.failure === null && !utf8.isWhole) state.failure = "bad_utf8";
      if (state.failure !== null) return { end: state.failure, messages: [] };
      return how === "whole" ? endOfBody(state, parser) : { end: openEnd(state), messages: parser.flush() };
    },
    get isHolding() {
      return parser.isHolding;
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

/** How a body has ended whose last message is not whole. */
function openEnd(state: State): "clean" | "mid_line" | "mid_event" {
  if (state.lineBytes > 0 && !state.lineIsComment) return "mid_line";
  return state.messageBytes === 0 ? "clean" : "mid_event";
}

function endOfBody(
  state: State,
  parser: MessageParser,
): { readonly end: SseEnd; readonly messages: readonly SseMessage[] } {
  const end = openEnd(state);
  if (end === "clean") return { end, messages: parser.flush() };
  const last = [...parser.feed("\n\n"), ...parser.flush()];
  const messages = last.filter((message) => message.bare || isWhole(message.data));
  return { end: messages.some((message) => !message.bare) ? "clean" : end, messages };
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
