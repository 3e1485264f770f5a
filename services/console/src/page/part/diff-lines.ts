// A unified diff in, its lines with what each is out. Inside a hunk nothing is a header, however it looks: a removed line
// `-- a/x` reads `--- a/x`.

export interface DiffLine {
  readonly kind: "file" | "hunk" | "added" | "removed" | "same";
  readonly text: string;
}

const HUNK = /^@@(?: -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@|(?=$| ))/;

/** How many lines of either side the hunk still has; of one that doesn't say, all that follow. */
interface Left {
  readonly before: number;
  readonly after: number;
}
const NONE: Left = { before: 0, after: 0 };

export function diffLines(text: string): readonly DiffLine[] {
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  let left = NONE;
  return lines.map((line) => {
    const inside = left.before > 0 || left.after > 0;
    const hunk = inside && left.before !== Infinity ? null : HUNK.exec(line);
    if (hunk !== null) {
      left = hunkSize(hunk);
      return { kind: "hunk", text: line };
    }
    if (!inside) return { kind: line.startsWith("\\") ? "same" : "file", text: line };
    const kind = kindInside(line);
    left = {
      before: left.before - (kind === "added" || line.startsWith("\\") ? 0 : 1),
      after: left.after - (kind === "removed" || line.startsWith("\\") ? 0 : 1),
    };
    return { kind, text: line };
  });
}

function hunkSize([head, before = "1", after = "1"]: RegExpExecArray): Left {
  return head.includes("+")
    ? { before: Number(before), after: Number(after) }
    : { before: Infinity, after: Infinity };
}

function kindInside(line: string): DiffLine["kind"] {
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "same";
}
