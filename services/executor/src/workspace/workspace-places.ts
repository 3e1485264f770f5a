import { createHash, randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { isRunId } from "@airlock/core/record";

/** Where one run's parts lie. Only `tree` is ever writable inside a sandbox; `staging` is never visible there. */
export interface WorkspacePlaces {
  readonly root: string;
  readonly tree: string;
  readonly gitDir: string;
  readonly staging: string;
  readonly record: string;
  /** What the tree was last counted to hold. */
  readonly usage: string;
  /** The executor's own, while it compares the tree with its base. */
  readonly comparison: string;
}

const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const RESERVED = new Set(["cache", "commits", "mirrors", "prepared", "sandbox"]);

export function assertRunId(runId: string): void {
  if (RUN_ID.test(runId) && !RESERVED.has(runId)) return;
  throw new AirlockError("WORKSPACE_UNAVAILABLE", "the run id can't name a directory");
}

export function workspacePlaces(root: string): WorkspacePlaces {
  return {
    root,
    tree: join(root, "tree"),
    gitDir: join(root, "git"),
    staging: join(root, "tmp"),
    record: join(root, "workspace.json"),
    usage: join(root, "usage.json"),
    comparison: join(root, "comparison"),
  };
}

/** Where a run's workspace is built before it is renamed into place. The dot keeps it apart from every run id. */
export function buildingPlace(volume: string, builder: string): string {
  return join(volume, `.building-${builder}`);
}

/** Names one preparation of a run's workspace. */
export function builderName(runId: string): string {
  return `${runId}.${randomBytes(6).toString("hex")}`;
}

/** The run that a preparation was for; null where the name is no preparation's. */
export function builtFor(name: string): string | null {
  return /^\.building-([A-Za-z0-9_-]+)\.[0-9a-f]+$/.exec(name)?.[1] ?? null;
}

/** The runs that have a place on the volume; whatever else lies there is not looked at. */
export async function workspaceRuns(volume: string): Promise<readonly string[]> {
  return (await readdir(volume)).filter(isRunId);
}

/** What preparations left behind when they were killed, or are still at. */
export async function buildingPlaces(volume: string): Promise<readonly string[]> {
  const names = await readdir(volume);
  const workspaces = names.filter((name) => builtFor(name) !== null).map((name) => join(volume, name));
  const repositories = await repositoryPlaces(volume);
  return [...workspaces, ...repositories.filter((place) => /\.git\.building-[^/]+$/.test(place))];
}

/** What lies among the mirrors, and among the repositories that runs are committed to. */
export async function repositoryPlaces(volume: string): Promise<readonly string[]> {
  const folders = ["mirrors", "commits"].map((name) => join(volume, name));
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(folder).catch(() => []); // nothing of the kind was made yet
      return names.map((name) => join(folder, name));
    }),
  );
  return found.flat();
}

export function mirrorPlace(volume: string, source: string): string {
  return join(volume, "mirrors", `${digestOf(source)}.git`);
}

/** Where runs of a source are committed to; it borrows the mirror's objects, and no sandbox sees it. */
export function commitsPlace(volume: string, source: string): string {
  return join(volume, "commits", `${digestOf(source)}.git`);
}

/** What the `prepare` steps of a source download, for the next of them. */
export function cachePlace(volume: string, source: string): string {
  return join(volume, "cache", digestOf(source));
}

function digestOf(source: string): string {
  return createHash("sha256").update(source).digest("hex").slice(0, 32);
}
