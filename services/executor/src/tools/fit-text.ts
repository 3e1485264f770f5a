import { Buffer } from "node:buffer";

/** The beginning and the end of a text that fits; `omittedBytes` counts what lay between. */
export interface FittedText {
  readonly text: string;
  readonly omittedBytes: number;
}

/** Keeps head and tail so that the text, as JSON in UTF-8, has at most `maxBytes`. */
export function fitText(text: string, maxBytes: number): FittedText {
  if (jsonBytes(text) <= maxBytes) return { text, omittedBytes: 0 };
  const bytes = Buffer.from(text);
  let keep = Math.min(bytes.length, maxBytes);
  for (;;) {
    const fitted = cut(bytes, keep);
    const size = jsonBytes(fitted.text);
    if (size <= maxBytes || keep === 0) return fitted;
    // Escapes make JSON longer than the text by a factor that the sample itself shows.
    keep = Math.floor(Math.min(keep - 1, (keep * maxBytes) / size));
  }
}

function cut(bytes: Buffer, keep: number): FittedText {
  const headEnd = characterStart(bytes, Math.ceil(keep / 2));
  const tailStart = characterEnd(bytes, bytes.length - Math.floor(keep / 2));
  const omittedBytes = tailStart - headEnd;
  const mark = `\n[... ${omittedBytes} bytes omitted ...]\n`;
  return {
    text: `${bytes.toString("utf8", 0, headEnd)}${mark}${bytes.toString("utf8", tailStart)}`,
    omittedBytes,
  };
}

function characterStart(bytes: Buffer, at: number): number {
  let index = at;
  while (index > 0 && index < bytes.length && isContinuation(bytes[index])) index -= 1;
  return index;
}

function characterEnd(bytes: Buffer, at: number): number {
  let index = at;
  while (index < bytes.length && isContinuation(bytes[index])) index += 1;
  return index;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
