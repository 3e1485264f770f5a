// A run's place on the volume in; gives its disk back in steps that each may be repeated after a crash.
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { exists } from "./mirror.ts";
import { removeTree } from "./remove-tree.ts";
import type { TrustedGit } from "./trusted-git.ts";
import { assertRunId, buildingPlace, builtFor, workspacePlaces } from "./workspace-places.ts";
import { readRecord, writeRecord } from "./workspace-record.ts";

/** Removes what the run worked on. Its record stays and says so: no later call is given a fresh tree in its place. */
export async function emptyWorkspace(volume: string, runId: string, at: number): Promise<void> {
  assertRunId(runId);
  const places = workspacePlaces(join(volume, runId));
  const record = await readRecord(places);
  if (record === null) return;
  if (record.removedAt === undefined) await writeRecord(places, { ...record, removedAt: at });
  const { tree, gitDir, staging, comparison, usage } = places;
  for (const place of [tree, gitDir, staging, comparison, usage]) await removeTree(place);
}

/** Removes all that is left of a run that nobody knows any more. The mirror stays: other runs borrow from it. */
export async function forgetWorkspace(volume: string, runId: string): Promise<void> {
  assertRunId(runId);
  await removeTree(join(volume, runId));
}

/** Removes what a killed preparation left behind, once it is older than any preparation can be. */
export async function removeAbandoned(place: string, olderThanMs: number): Promise<boolean> {
  if (!(await isOlder(place, olderThanMs))) return false;
  await removeTree(place);
  return true;
}

/** By the file system's clock, which is the executor's own. */
export async function isOlder(place: string, ms: number): Promise<boolean> {
  return Date.now() - (await stat(place)).mtimeMs >= ms;
}

/** Drops the refs that preparations of gone runs fetched into, and the branches that such runs were committed to. */
export async function pruneRefs(
  git: TrustedGit,
  { volume, repository }: { readonly volume: string; readonly repository: string },
  signal: AbortSignal,
): Promise<void> {
  const dir = `--git-dir=${repository}`;
  const list = ["for-each-ref", "--format=%(refname)", "refs/airlock/", "refs/heads/airlock/"];
  const { head } = await git.read([dir, ...list], { maxBytes: 64 * 1024 * 1024 }, signal);
  const refs = head.toString().split("\n");
  // Looked at after the refs were listed: what fetched one had its place before it.
  const gone = await Promise.all(refs.map((ref) => belongsToNobody(volume, ref)));
  const stdin = refs.flatMap((ref, at) => (gone[at] === true ? [`delete ${ref}\n`] : [])).join("");
  if (stdin !== "") await git.read([dir, "update-ref", "--stdin"], { maxBytes: 0, stdin }, signal);
}

async function belongsToNobody(volume: string, ref: string): Promise<boolean> {
  const builder = /^refs\/airlock\/(.+)$/.exec(ref)?.[1];
  const building = builder === undefined ? null : buildingPlace(volume, builder);
  const branch = /^refs\/heads\/airlock\/([A-Za-z0-9_-]+)$/.exec(ref)?.[1];
  const run = branch ?? (building === null ? null : builtFor(basename(building)));
  if (run === null || run === undefined) return false;
  if (building !== null && (await exists(building))) return false;
  return !(await exists(join(volume, run)));
}
