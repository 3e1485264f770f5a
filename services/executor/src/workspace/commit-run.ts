import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { errnoCode } from "./held-directory.ts";
import { exists } from "./mirror.ts";
import { removeTree } from "./remove-tree.ts";
import type { Comparison } from "./tree-diff.ts";
import type { TrustedGit } from "./trusted-git.ts";

/**
 * Keeps a compared tree as one commit on the branch `airlock/<run>`, above the run's base, in a repository beside the
 * mirror that no sandbox sees: what one run made, no other run of the source may read. Taken again, it replaces what an
 * earlier end of the run left there. Returns the branch.
 */
export async function commitRun(
  request: {
    readonly comparison: Comparison;
    /** the mirror's objects, which hold the base */
    readonly objects: string;
    /** the repository that is written; made where it is missing */
    readonly commits: string;
    readonly run: string;
    readonly baseRevision: string;
    /** the item keys of the calls that made it, and how many more there were */
    readonly items: readonly string[];
    readonly more: number;
  },
  signal: AbortSignal,
): Promise<string> {
  const { comparison, commits, run, baseRevision, items, more } = request;
  const { git, gitDir, treeId } = comparison;
  const branch = `airlock/${run}`;
  const trailers = [
    `Airlock-Run: ${run}`,
    ...items.map((itemKey) => `Airlock-Item: ${itemKey}`),
    ...(more === 0 ? [] : [`Airlock-Items-More: ${more}`]),
  ];
  const message = `Keep what run ${run} changed\n\n${trailers.join("\n")}`;
  const identity = ["-c", "user.name=Airlock", "-c", "user.email=airlock@localhost"];
  const create = ["commit-tree", treeId, "-p", baseRevision, "-m", message];
  const commit = await git.run([...identity, `--git-dir=${gitDir}`, ...create], signal);
  await git.run([`--git-dir=${gitDir}`, "update-ref", "refs/heads/out", commit], signal);
  await ensureCommits(git, request, signal);
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", gitDir];
  await git.run([`--git-dir=${commits}`, ...fetch, `+refs/heads/out:refs/heads/${branch}`], signal);
  return branch;
}

async function ensureCommits(
  git: TrustedGit,
  { commits, objects, run }: { readonly commits: string; readonly objects: string; readonly run: string },
  signal: AbortSignal,
): Promise<void> {
  if (await exists(commits)) return;
  await mkdir(dirname(commits), { recursive: true, mode: 0o700 });
  const building = `${commits}.building-${run}`;
  await removeTree(building);
  await git.run(["init", "--quiet", "--bare", "--template=", building], signal);
  // Relative, so that a volume that is mounted elsewhere can be fetched from.
  const borrowed = relative(join(commits, "objects"), objects);
  await writeFile(join(building, "objects", "info", "alternates"), `${borrowed}\n`);
  await rename(building, commits).catch(async (error: unknown) => {
    await removeTree(building);
    if (!["ENOTEMPTY", "EEXIST"].includes(errnoCode(error) ?? "")) throw error;
  });
}
