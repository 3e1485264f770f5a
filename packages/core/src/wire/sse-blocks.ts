import type { SseMessage } from "./sse.ts";

const LF2 = "\n\n";
const CR = 0x0d;

/** A whole message with its blank line, found without a look at each of its lines. */
export interface Block {
  readonly to: number;
  readonly text: string;
}

/** All whole messages of a chunk as one text, decoded at once: a decoder costs more to call than to run. */
interface Run {
  readonly text: string;
  /** Where each unit of the text is one byte, lengths need not be counted. */
  readonly isAscii: boolean;
  textAt: number;
  byteAt: number;
}

/**
 * Most messages stand whole in their chunk, in plain lines. Whatever could make a difference (other line ends,
 * bytes that are not UTF-8, a limit within reach) is left to the reader of lines: then this gives null.
 */
export function createBlockFinder(
  chunk: Uint8Array,
  decoder: InstanceType<typeof TextDecoder>,
): (from: number, maxBytes: number) => Block | null {
  const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  let isPlain = !view.includes(CR);
  let run: Run | null = null;
  return (from, maxBytes) => {
    if (!isPlain) return null;
    run ??= decodeRun(view, from, decoder);
    const block = run === null ? null : nextBlock(run, maxBytes);
    // Once lines are read, they are read to the end of the chunk, so that nothing is searched twice.
    if (block === null) isPlain = false;
    return block;
  };
}

function decodeRun(view: Buffer, from: number, decoder: InstanceType<typeof TextDecoder>): Run | null {
  const last = view.lastIndexOf(LF2);
  if (last < from) return null;
  const bytes = view.subarray(from, last + LF2.length);
  try {
    const text = decoder.decode(bytes);
    return { text, isAscii: text.length === bytes.length, textAt: 0, byteAt: from };
  } catch {
    // The reader of lines finds the place, and says so.
    return null;
  }
}

function nextBlock(run: Run, maxBytes: number): Block | null {
  const found = run.text.indexOf(LF2, run.textAt);
  if (found === -1) return null;
  const text = run.text.slice(run.textAt, found + LF2.length);
  const bytes = run.isAscii ? text.length : Buffer.byteLength(text);
  if (bytes > maxBytes) return null;
  run.textAt += text.length;
  run.byteAt += bytes;
  return { to: run.byteAt, text };
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
    if (event === "" || from >= end || !block.startsWith(DATA, header.length)) return null;
    return block.indexOf("\n", from) === end ? { event, data: block.slice(from, end), bare: false } : null;
  };
}
