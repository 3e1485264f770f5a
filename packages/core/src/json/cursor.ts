import type { ErrorClass } from "../fault/index.ts";

/** Where the parser stands. A reader that returns `undefined` has left the reason in `failure`. */
export interface Cursor {
  readonly text: string;
  readonly maxDepth: number;
  at: number;
  failure: { readonly errorClass: ErrorClass; readonly offset: number } | null;
}

/** Keeps the first failure and returns `undefined`, so that a reader can fail in one `return`. */
export function fail(cursor: Cursor, errorClass: ErrorClass, offset: number): undefined {
  cursor.failure ??= { errorClass, offset };
  return undefined;
}

/** Text that is wrong here, or that ends here: a cut argument text is told apart from a bad one. */
export function failSyntax(cursor: Cursor): undefined {
  const ended = cursor.at >= cursor.text.length;
  return fail(cursor, ended ? "JSON_TRUNCATED" : "JSON_SYNTAX", Math.min(cursor.at, cursor.text.length));
}

/** The four blanks of RFC 8259; a byte order mark or a no-break space is not one. */
const BLANKS: ReadonlySet<string> = new Set([" ", "\t", "\n", "\r"]);

export function skipBlanks(cursor: Cursor): void {
  while (BLANKS.has(cursor.text.charAt(cursor.at))) cursor.at += 1;
}
