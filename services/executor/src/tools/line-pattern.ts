import { RE2JS } from "re2js";

/** A pattern in, a test of one line out, in time linear in the line; refuses what is no pattern, or one too large. */
export type LinePattern =
  | {
      readonly ok: true;
      /** Where the first match begins, or -1. Only the first `MAX_LINE` characters are looked at. */
      readonly find: (line: string) => number;
    }
  | { readonly ok: false; readonly detail: string };

/** The work on one line is its length times the program's size at worst: with these, well below a second. */
const MAX_LINE = 4096;
const MAX_PROGRAM = 1000;

export interface PatternOptions {
  readonly literal: boolean;
  readonly ignoreCase: boolean;
}

export function linePattern(pattern: string, { literal, ignoreCase }: PatternOptions): LinePattern {
  const plain = literal || /^[\w ,:;'"<>/=@#%&~!-]*$/.test(pattern);
  if (plain && !ignoreCase) return { ok: true, find: (line) => line.slice(0, MAX_LINE).indexOf(pattern) };
  try {
    const text = literal ? RE2JS.quote(pattern) : pattern;
    const compiled = RE2JS.compile(text, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    if (compiled.programSize() > MAX_PROGRAM) {
      return { ok: false, detail: "the pattern is too large: use smaller repetitions" };
    }
    return {
      ok: true,
      find(line) {
        const matcher = compiled.matcher(line.slice(0, MAX_LINE));
        return matcher.find() ? matcher.start() : -1;
      },
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : "it does not compile";
    const hint = "set literal to take it as plain text";
    return { ok: false, detail: `the pattern is no regular expression of RE2's syntax: ${why}; ${hint}` };
  }
}

/** A test of paths against a glob of `*`, `**`, `?` and `{a,b}`; one without a slash is held against the name alone. */
export function pathGlob(glob: string): (path: string) => boolean {
  const expression = RE2JS.compile(globExpression(glob), RE2JS.DOTALL);
  const named = !glob.includes("/");
  return (path) => expression.matches(named ? path.slice(path.lastIndexOf("/") + 1) : path);
}

const GLOB_PARTS = /\*\*\/|\*\*|\*|\?|\{|\}|,|[^*?{},]+/g;

function globExpression(glob: string): string {
  let depth = 0;
  const parts = (glob.match(GLOB_PARTS) ?? []).map((part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    if (part === "{") {
      depth += 1;
      return "(?:";
    }
    if (part === "}" && depth > 0) {
      depth -= 1;
      return ")";
    }
    if (part === "," && depth > 0) return "|";
    return RE2JS.quote(part);
  });
  return parts.join("") + ")".repeat(depth);
}
