const LF2 = "\n\n";
const CR = 0x0d;

/** A whole message with its blank line, found and decoded without a look at each of its lines. */
export interface Block {
  readonly to: number;
  readonly text: string;
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
  // Up to here lines are read one by one. It only grows, so that nothing is searched twice.
  let plainFrom = view.includes(CR) ? chunk.length : 0;
  return (from, maxBytes) => {
    if (from < plainFrom) return null;
    const found = view.indexOf(LF2, from);
    const to = found === -1 ? chunk.length : found + LF2.length;
    const isWhole = found !== -1 && to - from <= maxBytes;
    const text = isWhole ? decodeWhole(decoder, view.subarray(from, to)) : null;
    if (text === null) plainFrom = to;
    return text === null ? null : { to, text };
  };
}

function decodeWhole(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    // The reader of lines finds the place, and says so.
    return null;
  }
}
