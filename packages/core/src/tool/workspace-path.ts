/** What would make two programs read one path as two: control characters, backslashes, invisible characters. */
const AMBIGUOUS = /[\p{Cc}\p{Cf}\p{Surrogate}\\]/u;

/** No file system of ours takes more; the bounds keep glob matching short. */
const MAX_LENGTH = 4_096;
const MAX_DEPTH = 128;

/**
 * The NFC form of a path below the workspace root without `.` and doubled slashes; `"."` is the root itself.
 * `null` for a path that is absolute, climbs with `..`, is empty, over-long or could be read in two ways.
 */
export function normalizeWorkspacePath(path: string): string | null {
  if (path === "" || path.length > MAX_LENGTH || path.startsWith("/") || AMBIGUOUS.test(path)) return null;
  const parts = path.normalize("NFC").split("/");
  const kept = parts.filter((part) => part !== "" && part !== ".");
  if (kept.includes("..") || kept.length > MAX_DEPTH) return null;
  return kept.length === 0 ? "." : kept.join("/");
}

/** Whether one path is the other or lies below it. */
export function pathsOverlap(left: string, right: string): boolean {
  return isWithin(left, right) || isWithin(right, left);
}

function isWithin(path: string, folder: string): boolean {
  return folder === "." || path === folder || path.startsWith(`${folder}/`);
}
