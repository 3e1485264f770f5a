// Takes the text of a unified diff and gives every path that its headers name; `null` as soon as one line is not
// what git's own form has in that place, so that no reading of the patch can reach a path that is not listed.

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const QUIET_HEADERS =
  /^(?:index [0-9a-f]+\.\.[0-9a-f]+(?: \d{6})?|(?:old|new|new file|deleted file) mode \d{6}|(?:dis)?similarity index \d+%)$/;
const BARE_HEADERS = /^(?:rename|copy) (?:from|to) (.+)$/;
const DEV_NULL = "/dev/null";

interface Remaining {
  old: number;
  new: number;
}

/** Paths as the headers write them, without their `a/` and `b/`, each once. */
export function patchPaths(patch: string): readonly string[] | null {
  const paths = new Set<string>();
  const remaining: Remaining = { old: 0, new: 0 };
  for (const line of patch.replace(/\n$/, "").split("\n")) {
    if (remaining.old > 0 || remaining.new > 0) {
      if (!takeHunkLine(line, remaining)) return null;
      continue;
    }
    const named = readHeader(line, remaining);
    if (named === null) return null;
    for (const path of named) paths.add(path);
  }
  const whole = remaining.old === 0 && remaining.new === 0;
  return whole && paths.size > 0 ? [...paths] : null;
}

/** A hunk ends by its counts alone, so a deleted line that looks like a header stays a deleted line. */
function takeHunkLine(line: string, remaining: Remaining): boolean {
  const mark = line.charAt(0);
  if (mark === "\\") return true;
  if (mark !== " " && mark !== "-" && mark !== "+" && mark !== "") return false;
  if (mark !== "+") remaining.old -= 1;
  if (mark !== "-") remaining.new -= 1;
  return remaining.old >= 0 && remaining.new >= 0;
}

function readHeader(line: string, remaining: Remaining): readonly string[] | null {
  const hunk = HUNK.exec(line);
  if (hunk !== null) {
    remaining.old = Number(hunk[1] ?? "1");
    remaining.new = Number(hunk[2] ?? "1");
    return [];
  }
  // The mark of a missing newline may follow the hunk's last line.
  if (line === "" || line.startsWith("\\ ") || QUIET_HEADERS.test(line)) return [];
  if (line.startsWith("diff --git ")) return readGitHeader(line.slice("diff --git ".length));
  if (line.startsWith("--- ")) return readFileHeader(line.slice(4), "a/");
  if (line.startsWith("+++ ")) return readFileHeader(line.slice(4), "b/");
  const bare = BARE_HEADERS.exec(line)?.[1];
  return bare === undefined || bare.startsWith('"') ? null : [bare];
}

function readFileHeader(rest: string, prefix: "a/" | "b/"): readonly string[] | null {
  // A time stamp may follow a tab.
  const name = rest.split("\t", 1)[0] ?? "";
  if (name === DEV_NULL) return [];
  return name.startsWith(prefix) ? [name.slice(prefix.length)] : null;
}

/** Two names with a blank between: only a reading with exactly one place to cut is taken. */
function readGitHeader(rest: string): readonly string[] | null {
  const names = rest.split(" b/");
  const [left, right] = names;
  if (names.length !== 2 || left === undefined || right === undefined) return null;
  return left.startsWith("a/") ? [left.slice(2), right] : null;
}
