import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The first that follows no link while it sets mounts up (CVE-2026-87766). */
const FIRST_CAREFUL = [0, 12] as const;

const VERSION = /^bubblewrap (\d+)\.(\d+)/;

/**
 * What an operator should know of this bubblewrap; null where there is nothing. No mount of ours lies in an agent's
 * tree, so an older version is a wall less, not a hole.
 */
export async function bwrapAdvice(bwrapPath: string): Promise<string | null> {
  const run = promisify(execFile)(bwrapPath, ["--version"], { env: {}, timeout: 5_000 });
  const text = await run.then(
    ({ stdout }) => stdout,
    () => "",
  );
  return adviceFor(text);
}

export function adviceFor(versionText: string): string | null {
  const [, major, minor] = VERSION.exec(versionText) ?? [];
  if (major === undefined || minor === undefined) return "bubblewrap doesn't say its version";
  const [wantedMajor, wantedMinor] = FIRST_CAREFUL;
  const careful =
    Number(major) > wantedMajor || (Number(major) === wantedMajor && Number(minor) >= wantedMinor);
  if (careful) return null;
  return `bubblewrap ${major}.${minor} follows links while it sets mounts up (CVE-2026-87766); 0.12 does not`;
}
