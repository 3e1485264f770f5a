// Takes a run's git dir, gives one of the executor's own that borrows its objects, and the commit that the run is at.
// Git never runs over the run's own: where commands run without a sandbox, its configuration may be the agent's.
import { constants } from "node:fs";
import { mkdtemp, open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../../workspace/index.ts";
import { COMMIT } from "./revision.ts";

/** Runs git over the given git dir, outside of every sandbox; false where it didn't end well. */
type Git = (gitDir: string, args: readonly string[]) => Promise<boolean>;

/** Below `home`, made once for a run; null where git can't make it. */
export async function pushDir(home: string, runGitDir: string, git: Git): Promise<string | null> {
  const place = join(home, "git");
  if (await exists(place)) return place;
  const building = await mkdtemp(join(home, "building-"));
  try {
    if (!(await git(building, ["init", "--quiet", "--bare", "--template="]))) return null;
    await writeFile(join(building, "objects", "info", "alternates"), `${join(runGitDir, "objects")}\n`);
    await rename(building, place);
  } catch (error) {
    if (!(await exists(place))) throw error; // another call of the run was first
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return place;
}

const HEAD = "refs/heads/airlock";
const MAX_REFS_BYTES = 1024 * 1024;

/** The commit of the run's only branch; null where there is none to be read. */
export async function runCommit(gitDir: string): Promise<string | null> {
  const own = (await textOf(join(gitDir, HEAD))).trim();
  if (COMMIT.test(own)) return own;
  const packed = (await textOf(join(gitDir, "packed-refs"))).split("\n");
  const [found = ""] = packed.find((line) => line.endsWith(` ${HEAD}`))?.split(" ") ?? [];
  return COMMIT.test(found) ? found : null;
}

/** Of a plain file only, whose links lead nowhere; else empty. */
async function textOf(file: string): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch(() => null); // it isn't there, or is a link
  if (handle === null) return "";
  try {
    const stats = await handle.stat();
    return stats.isFile() && stats.size <= MAX_REFS_BYTES ? await handle.readFile("utf8") : "";
  } finally {
    await handle.close();
  }
}
