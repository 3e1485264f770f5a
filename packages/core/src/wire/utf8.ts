// Takes the bytes of a text in any pieces, gives the text of each; refuses bytes that are not UTF-8. The platform's
// own streaming decoder does the same, many times slower.

const NONE = new Uint8Array();

export interface Utf8Reader {
  /** The whole characters so far; the bytes of a cut one wait for the next piece. Null: not UTF-8. */
  read(bytes: Uint8Array): string | null;
  /** Whether no character is cut. */
  readonly isWhole: boolean;
}

export function createUtf8Reader(): Utf8Reader {
  // It keeps the byte order mark, so that exactly one is stripped, by the reader of lines.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let cut: Uint8Array = NONE;
  return {
    read(bytes) {
      const all = cut.length === 0 ? bytes : Buffer.concat([cut, bytes]);
      const end = all.length - cutLength(all);
      // A copy: the piece is the caller's.
      cut = end === all.length ? NONE : all.slice(end);
      try {
        return decoder.decode(all.subarray(0, end));
      } catch {
        // A fatal decoder throws for exactly one reason; the caller names it.
        return null;
      }
    },
    get isWhole() {
      return cut.length === 0;
    },
  };
}

/** How many bytes at the end begin a character that needs more of them: 0 to 3. */
function cutLength(bytes: Uint8Array): number {
  for (let length = 1; length <= 3; length += 1) {
    const byte = bytes[bytes.length - length] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return length < sequenceLength(byte) ? length : 0;
  }
  return 0;
}

/** What a first byte promises. Bytes that begin nothing promise nothing, so that they are refused at once. */
function sequenceLength(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}
