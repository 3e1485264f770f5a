/** Where one frame of Redis' protocol ends, read without decoding it: enough to count replies and to name commands. */

const LINES = new Set("+-:_,#(");
const BULKS = new Set("$!=");
/** How many frames follow for each one that an aggregate announces. */
const AGGREGATES: Readonly<Record<string, number>> = { "*": 1, "~": 1, ">": 1, "%": 2, "|": 2 };

/** The offset behind the frame that begins at `at`, or null where the buffer ends before it does. */
function frameEnd(buffer: Buffer, at: number): number | null {
  let open = 1;
  let place = at;
  while (open > 0) {
    const line = buffer.indexOf("\r\n", place);
    if (line === -1) return null;
    const type = String.fromCharCode(buffer[place] ?? 0);
    const length = Number(buffer.toString("latin1", place + 1, line));
    place = line + 2;
    open -= 1;
    if (BULKS.has(type)) place += length < 0 ? 0 : length + 2;
    else if (type in AGGREGATES) open += Math.max(length, 0) * (AGGREGATES[type] ?? 0);
    else if (!LINES.has(type)) throw new Error(`unknown type of frame: ${JSON.stringify(type)}`);
    if (type === "|") open += 1; // attributes stand before the reply that they are about
    if (place > buffer.length) return null;
  }
  return place;
}

/** The words of a command, which is an array of bulk strings. */
export function commandWords(frame: Buffer): readonly string[] {
  const words: string[] = [];
  let place = frame.indexOf("\r\n") + 2;
  while (place < frame.length) {
    const line = frame.indexOf("\r\n", place);
    const length = Number(frame.toString("latin1", place + 1, line));
    words.push(frame.toString("utf8", line + 2, line + 2 + length));
    place = line + 2 + length + 2;
  }
  return words;
}

/** What a server says unasked, such as a notice that belongs to no command. */
export function isPush(frame: Buffer): boolean {
  return frame[0] === 0x3e;
}

/** Takes bytes as they come, gives whole frames. */
export function createFrameReader(): (chunk: Buffer) => readonly Buffer[] {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const frames: Buffer[] = [];
    let at = 0;
    while (at < bytes.length) {
      const end = frameEnd(bytes, at);
      if (end === null) break;
      frames.push(bytes.subarray(at, end));
      at = end;
    }
    rest = Buffer.from(bytes.subarray(at));
    return frames;
  };
}
