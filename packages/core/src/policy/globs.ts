import picomatch from "picomatch";

/** Negation, groups, classes and escapes are left out: what is not readable at a glance has no place in a policy. */
const PLAIN = { dot: true, nonegate: true, noextglob: true, nobracket: true, windows: false } as const;

export type PathTest = (path: string) => boolean;

/** Why a text is not a glob over workspace paths; `null` if it is one. */
export function globProblem(glob: string): string | null {
  if (glob === "" || /[\p{Cc}\p{Cf}]/u.test(glob)) return "a glob must be visible text";
  if (/[!()[\]\\]/.test(glob)) return "a glob may use only *, **, ? and {a,b}";
  if (glob.startsWith("/")) return "a glob is relative to the workspace root: no leading slash";
  if (glob.split("/").some((part) => part === "" || part === "." || part === "..")) {
    return "a glob names plain folders: no '.', '..' or doubled slash";
  }
  return null;
}

/** Matches a normalised path as a whole. The root `.` matches `**` alone. */
export function anyGlob(globs: readonly string[]): PathTest {
  const tests = globs.map((glob) => picomatch(glob.normalize("NFC"), PLAIN));
  const root = globs.includes("**");
  return (path) => (path === "." ? root : tests.some((test) => test(path)));
}

/** For forbidding: also matches below a matching folder, and without regard to case, as some file systems do. */
export function anyGlobBroadly(globs: readonly string[]): PathTest {
  const options = { ...PLAIN, nocase: true };
  const tests = globs
    .map((glob) => glob.normalize("NFC"))
    .flatMap((glob) => [picomatch(glob, options), picomatch(`${glob}/**`, options)]);
  const root = globs.includes("**");
  return (path) => (path === "." ? root : tests.some((test) => test(path)));
}
