import { isAscii, isUtf8 } from "node:buffer";
import type { SseMessage } from "./sse.ts";

const LF = 0x0a;
const LF2 = "\n\n";
const CR = 0x0d;

/** Whole blocks of a chunk, each with its blank line. */
export interface Blocks {
  /** One character for each byte: made and compared much faster than text, and nothing is cut that is one letter. */
  readonly bytes: string;
  /** Where the next block begins; whoever reads blocks moves it beyond them. */
  at: number;
  /** What a part of `bytes` says. */
  textOf(bytes: string): string;
}

export interface Run extends Blocks {
  /** The text of the next block. */
  next(): string;
}

/**
 * The blocks of `bytes` up to the last blank line. Null where anything could make a difference: other line ends, bytes
 * that are not UTF-8, a limit within reach. The reader of lines then finds the place, and says so.
 */
export function findRun(bytes: Buffer, maxBytes: number): Run | null {
  const size = bytes.lastIndexOf(LF2) + LF2.length;
  if (size < LF2.length || size > maxBytes || bytes.includes(CR)) return null;
  const blocks = bytes.subarray(0, size);
  return isUtf8(blocks) ? createRun(blocks) : null;
}

function createRun(blocks: Buffer): Run {
  const bytes = blocks.toString("latin1");
  const isText = isAscii(blocks);
  return {
    bytes,
    at: 0,
    next() {
      const from = this.at;
      const end = bytes.indexOf(LF2, from);
      // A third line end in a row leaves one over.
      this.at = end === -1 ? bytes.length : end + LF2.length;
      return isText ? bytes.slice(from, this.at) : blocks.toString("utf8", from, this.at);
    },
    textOf: (part) => (isText ? part : Buffer.from(part, "latin1").toString("utf8")),
  };
}

/** Bytes that wait for the end of their block, so that it is read at once and not piece by piece. */
export interface HeldBytes {
  /** False where the bytes hold a line end that matters, or more than may wait: then nothing is taken. */
  hold(bytes: Uint8Array, maxBytes: number): boolean;
  /** All that waits, and these bytes after it; nothing waits afterwards. */
  release(bytes: Uint8Array): Buffer;
}

export function createHeldBytes(): HeldBytes {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let last = 0;
  return {
    hold(bytes, maxBytes) {
      const ends = view(bytes).includes(LF2) || (last === LF && bytes[0] === LF);
      if (ends || size + bytes.length > maxBytes || bytes.includes(CR)) return false;
      // A copy: the chunk is the caller's.
      pieces.push(new Uint8Array(bytes));
      size += bytes.length;
      last = bytes.at(-1) ?? last;
      return true;
    },
    release(bytes) {
      const all = size === 0 ? view(bytes) : Buffer.concat([...pieces, bytes]);
      pieces = [];
      size = 0;
      last = 0;
      return all;
    },
  };
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

const EVENT = "event: ";
const DATA = "data: ";

/**
 * Reads blocks of one `data` line, after one `event` line or none; null for every other, which the parser reads.
 * Events of one name follow each other, so the last name is kept: whoever looks it up hashes it once.
 */
export function createPlainBlockReader(): (block: string) => SseMessage | null {
  let header = "";
  let event: string | null = null;
  return (block) => {
    if (header === "" || block.slice(0, header.length) !== header) {
      header = block.startsWith(EVENT) ? block.slice(0, block.indexOf("\n") + 1) : "";
      event = header === "" ? null : header.slice(EVENT.length, -1);
    }
    const from = header.length + DATA.length;
    const end = block.length - LF2.length;
    if (event === "" || from >= end || block.slice(header.length, from) !== DATA) return null;
    return block.indexOf("\n", from) === end ? { event, data: block.slice(from, end), bare: false } : null;
  };
}
