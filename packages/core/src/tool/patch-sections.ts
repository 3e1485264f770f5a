/**
 * The skeleton of a unified diff, read line by line: which files its headers name, in every place that names one.
 * It refuses each line that has no business where it stands, so that the parser, which skips such lines, and a
 * reader of the patch can't see two different patches.
 */
export interface PatchSection {
  /** What follows `diff --git `. */
  git: string | null;
  renameFrom: string | null;
  renameTo: string | null;
  /** What follows `--- ` and `+++ `, without a time stamp. */
  old: string | null;
  new: string | null;
}

export type PatchSections =
  | { readonly ok: true; readonly sections: readonly Readonly<PatchSection>[] }
  | { readonly ok: false; readonly detail: string };

const HUNK = /^@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@/;
const QUIET =
  /^(?:index [0-9a-f]+\.\.[0-9a-f]+(?: \d{6})?|(?:old|new|new file|deleted file) mode \d{6}|(?:dis)?similarity index \d+%)$/;

/** What a reader can do about a line that is refused. */
const HINTS = [
  [/^(?:GIT binary patch|Binary files )/, "binary changes can't be patched"],
  [/^copy (?:from|to) /, "copies are not supported; create the file instead"],
  [/^```/, "leave out the code fence"],
  [/^\*\*\* /, "use a unified diff with `--- a/<path>`, `+++ b/<path>` and `@@ -l,n +l,n @@`"],
  [/^@@/, "a hunk needs `@@ -l,n +l,n @@` with its line numbers and counts"],
  [/^[ +-]/, "a hunk has more lines than its header says, or a header is missing"],
] as const satisfies readonly (readonly [RegExp, string])[];

interface Scan {
  readonly sections: PatchSection[];
  oldLeft: number;
  newLeft: number;
}

export function readPatchSections(text: string): PatchSections {
  const scan: Scan = { sections: [], oldLeft: 0, newLeft: 0 };
  const lines = text.replace(/\n$/, "").split("\n");
  for (const [index, line] of lines.entries()) {
    const inHunk = scan.oldLeft > 0 || scan.newLeft > 0;
    const taken = inHunk ? takeHunkLine(scan, line) : takeHeader(scan, line.replace(/\r$/, ""));
    if (!taken) return { ok: false, detail: `line ${index + 1}: ${hintFor(line, inHunk)}` };
  }
  if (scan.oldLeft > 0 || scan.newLeft > 0) {
    return { ok: false, detail: "the last hunk has fewer lines than its header says" };
  }
  return { ok: true, sections: scan.sections };
}

function hintFor(line: string, inHunk: boolean): string {
  if (inHunk) return "a hunk's line begins with a blank, `+` or `-`, and as many follow as its header says";
  return HINTS.find(([pattern]) => pattern.test(line))?.[1] ?? "this is no part of a unified diff";
}

/** Only its counts end a hunk: a deleted `-- x` looks like a header and is none. */
function takeHunkLine(scan: Scan, line: string): boolean {
  const mark = line.charAt(0);
  if (mark === "\\") return true;
  if (mark !== " " && mark !== "+" && mark !== "-" && mark !== "") return false;
  if (mark !== "+") scan.oldLeft -= 1;
  if (mark !== "-") scan.newLeft -= 1;
  return scan.oldLeft >= 0 && scan.newLeft >= 0;
}

function takeHeader(scan: Scan, line: string): boolean {
  if (line === "" || line.startsWith("\\ ")) return true;
  if (line.startsWith("diff --git ")) {
    scan.sections.push(emptySection(line.slice("diff --git ".length)));
    return true;
  }
  const section = scan.sections.at(-1);
  if (line.startsWith("--- ")) return takeOldName(scan, section, nameOf(line));
  if (section === undefined) return false;
  const hunk = HUNK.exec(line);
  if (hunk !== null) {
    scan.oldLeft = Number(hunk[1] ?? "1");
    scan.newLeft = Number(hunk[2] ?? "1");
    return section.new !== null;
  }
  if (line.startsWith("+++ ")) return section.old !== null && setOnce(section, "new", nameOf(line));
  // Git's own headers stand between its first line and `---`; anywhere else the parser would pass over them.
  if (section.git === null || section.old !== null) return false;
  if (line.startsWith("rename from ")) return setOnce(section, "renameFrom", line.slice(12));
  if (line.startsWith("rename to ")) return setOnce(section, "renameTo", line.slice(10));
  return QUIET.test(line);
}

function takeOldName(scan: Scan, section: PatchSection | undefined, name: string): boolean {
  if (section !== undefined && section.git !== null && section.old === null) {
    return setOnce(section, "old", name);
  }
  scan.sections.push({ ...emptySection(null), old: name });
  return true;
}

function setOnce(
  section: PatchSection,
  key: "old" | "new" | "renameFrom" | "renameTo",
  name: string,
): boolean {
  if (section[key] !== null) return false;
  section[key] = name;
  return true;
}

function nameOf(line: string): string {
  return line.slice(4).split("\t", 1)[0] ?? "";
}

function emptySection(git: string | null): PatchSection {
  return { git, renameFrom: null, renameTo: null, old: null, new: null };
}
