import type { Comparison } from "./tree-diff.ts";

/**
 * Keeps a compared tree as one commit on the mirror's branch `airlock/<run>`, above the run's base. Taken again, it
 * replaces what an earlier end of the run left there. Returns the branch.
 */
export async function commitOnMirror(
  request: {
    readonly comparison: Comparison;
    readonly mirror: string;
    readonly run: string;
    readonly baseRevision: string;
    /** the item keys of the calls that made it, and how many more there were */
    readonly items: readonly string[];
    readonly more: number;
  },
  signal: AbortSignal,
): Promise<string> {
  const { comparison, mirror, run, baseRevision, items, more } = request;
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
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", gitDir];
  await git.run([`--git-dir=${mirror}`, ...fetch, `+refs/heads/out:refs/heads/${branch}`], signal);
  return branch;
}
