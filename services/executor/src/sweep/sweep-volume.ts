// The folders of a volume in; ended runs have their diff taken, then, after a while, their disk given back. It never touches
// a run that has not ended, or in whose tree something may still run; every step may be cut short and repeated.
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readRun, readRunDiff, type RunHash } from "@airlock/core/run";
import { errorFields, type Log } from "@airlock/core/runtime";
import { redisNow, runKeys } from "@airlock/core/store";
import {
  buildingPlaces,
  createTrustedGit,
  emptyWorkspace,
  exists,
  forgetWorkspace,
  preparedPlaces,
  pruneRefs,
  readRecord,
  removeAbandoned,
  removePrepared,
  removeTree,
  repositoryPlaces,
  workspacePlaces,
  workspaceRuns,
} from "../workspace/index.ts";
import { collectDiff, noteNoWorkspace, type DiffDeps } from "./collect-diff.ts";

export interface SweepDeps extends DiffDeps {
  readonly log: Log;
  /** ms that an ended run's tree is kept */
  readonly workspaceMs: number;
}

/** Longer than any preparation takes, fetching and `prepare` together. */
const ABANDONED_MS = 2 * 3_600_000;
/** A run that Redis doesn't know may be known again: for so long its place is left alone. */
const FORGOTTEN_MS = 86_400_000;
const PREPARED_MS = 7 * 86_400_000;

/** Every run of the volume. */
export async function sweepVolume(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  await sweepRuns(deps, await workspaceRuns(deps.volume), signal);
}

/** Returns those that have to be looked at again soon: something still runs in their trees. */
export async function sweepRuns(
  deps: SweepDeps,
  runs: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const held: string[] = [];
  for (const run of runs) {
    if (signal.aborted) break;
    await apart(deps, run, async () => {
      if ((await sweepRun(deps, run, signal)) === "held") held.push(run);
    });
  }
  return held;
}

/** What no run needs: killed preparations, folders that were prepared long ago, refs of runs that are gone. */
export async function sweepRemains(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  const { volume } = deps;
  for (const place of await buildingPlaces(volume)) {
    await apart(deps, place, () => removeAbandoned(place, ABANDONED_MS));
  }
  const { folders, removing } = await preparedPlaces(volume);
  for (const place of folders) await apart(deps, place, () => removePrepared(place, PREPARED_MS, signal));
  for (const place of removing) await apart(deps, place, () => removeTree(place));
  await pruneRepositories(deps, signal);
}

/** One place that can't be cleaned must not keep the others from it. */
async function apart(deps: SweepDeps, place: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    deps.log.write("warn", "handler_failed", { place: `volume sweep of ${place}`, ...errorFields(error) });
  }
}

async function sweepRun(deps: SweepDeps, run: string, signal: AbortSignal): Promise<"swept" | "held"> {
  const places = workspacePlaces(join(deps.volume, run));
  const forgotten = join(places.root, "forgotten");
  const hash = await readRun(deps.redis, run);
  if (hash === null) {
    if (await exists(places.record)) await forgetLater(deps, run, forgotten);
    return "swept";
  }
  const now = await redisNow(deps.redis);
  await rm(forgotten, { force: true });
  const { endedAt } = hash;
  if (endedAt === undefined) return "swept";
  const taken = (await readRunDiff(deps, run))?.endedAt === endedAt;
  if (!(await exists(places.root))) {
    if (!taken && hash.pool === deps.pool) await noteNoWorkspace(deps, { id: run, endedAt });
    return "swept";
  }
  if (await isHeld(deps, run, now)) return "held";
  const record = await readRecord(places);
  if (record === null) return "swept";
  if (record.removedAt === undefined) {
    const ended = { id: run, endedAt, turns: hash.turn, record };
    if (!taken && !(await collectDiff(deps, ended, signal))) return "swept";
    if (!taken) deps.log.write("info", "run_diff_taken", { run });
  }
  if (now - endedAt < deps.workspaceMs || (await isDoubted(deps, run))) return "swept";
  if (!(await stillEnded(deps, run, hash))) return "swept";
  await emptyWorkspace(deps.volume, run, now);
  if (record.removedAt === undefined) deps.log.write("info", "workspace_removed", { run });
  return "swept";
}

/** A person may have let the run go on while its diff was taken. */
async function stillEnded(deps: SweepDeps, run: string, { endedAt }: RunHash): Promise<boolean> {
  return (await readRun(deps.redis, run))?.endedAt === endedAt;
}

/** Something with effects may still run in the tree. */
async function isHeld(deps: SweepDeps, run: string, now: number): Promise<boolean> {
  const [holder, until] = await deps.redis.hmget(runKeys(run).workspace, "holder", "holderUntil");
  return typeof holder === "string" && Number(until ?? 0) > now;
}

/** Nobody knows yet what one of its calls did: whoever finds out looks at the tree. */
async function isDoubted({ redis }: SweepDeps, run: string): Promise<boolean> {
  return (await redis.scard(runKeys(run).unknown)) > 0;
}

/** Redis may have lost what it knew: the place goes a day after it was first missed there. */
async function forgetLater(deps: SweepDeps, run: string, mark: string): Promise<void> {
  const missedAt = await stat(mark).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );
  if (missedAt === null) return writeFile(mark, "");
  if (Date.now() - missedAt < Math.max(FORGOTTEN_MS, deps.workspaceMs)) return;
  await forgetWorkspace(deps.volume, run);
  deps.log.write("info", "workspace_removed", { run });
}

/** Of the mirrors, and of the repositories that runs are committed to. */
async function pruneRepositories(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  const repositories = (await repositoryPlaces(deps.volume)).filter((place) => place.endsWith(".git"));
  if (repositories.length === 0) return;
  const home = join(deps.volume, ".sweeping");
  await mkdir(home, { recursive: true, mode: 0o700 });
  const git = await createTrustedGit(home);
  for (const repository of repositories) {
    await apart(deps, repository, () => pruneRefs(git, { volume: deps.volume, repository }, signal));
  }
  await removeTree(home);
}
