// An operator's `prepare` step and a commit in, its folders out, made once for the same ref and lockfiles however many runs ask
// for them; refuses a step that fails or takes too long, of which nothing is left.
import { createHash, randomBytes } from "node:crypto";
import { lchown, mkdir, readdir, rename, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AirlockError } from "@airlock/core/fault";
import type { PrepareStep } from "@airlock/core/run";
import { checkOut } from "./check-out.ts";
import { below, closingAfter, errnoCode, holdDirectory, holdEntry, openRoot } from "./held-directory.ts";
import { exists } from "./mirror.ts";
import { giveTree, makePrivateDirectory } from "./ownership.ts";
import { removeTree } from "./remove-tree.ts";
import { isOlder } from "./remove-workspace.ts";
import type { ServiceUser } from "./service-user.ts";
import type { TrustedGit } from "./trusted-git.ts";
import { lockVolume } from "./volume-lock.ts";
import { cachePlace, workspacePlaces } from "./workspace-places.ts";

const REMOVING = ".removing-";

/** Runs the step's command in a sandbox of its own; throws WORKSPACE_UNAVAILABLE where it doesn't end well. */
export type RunPrepare = (
  request: {
    readonly tree: string;
    readonly cache: string;
    readonly name: string;
    readonly step: PrepareStep;
  },
  signal: AbortSignal,
) => Promise<void>;

export interface PrepareRequest {
  readonly volume: string;
  readonly source: string;
  readonly ref: string;
  readonly mirror: string;
  readonly baseRevision: string;
  /** the executor's own, gone when the workspace is built */
  readonly scratch: string;
  readonly git: TrustedGit;
  readonly serviceUser: ServiceUser | null;
  readonly step: PrepareStep;
  readonly run: RunPrepare;
}

/** Where the folders lie, each under its number in the step; those that the step didn't make are missing. */
export async function preparedFolders(request: PrepareRequest, signal: AbortSignal): Promise<string> {
  const { volume, serviceUser } = request;
  await makePrivateDirectory(join(volume, "prepared"), serviceUser);
  const place = join(volume, "prepared", await digestOf(request, signal));
  const lock = await lockVolume(lockOf(place), { wait: true, signal });
  try {
    if (!(await exists(place))) await prepareNow(request, place, signal);
    const now = new Date();
    await utimes(place, now, now); // marked under the lock, so that nobody removes them while they are copied
  } finally {
    await lock?.release();
  }
  return place;
}

/**
 * The same command over the same lockfiles gives the same folders; whatever else a commit holds is not asked, and may decide
 * them all the same. So each ref has its own: a branch that somebody pushed decides for nobody who didn't name it.
 */
async function digestOf(request: PrepareRequest, signal: AbortSignal): Promise<string> {
  const { git, mirror, baseRevision, source, ref, step } = request;
  const locked = await Promise.all(
    step.lockfiles.map(async (file) => {
      const show = [`--git-dir=${mirror}`, "rev-parse", "--verify", "--quiet", `${baseRevision}:${file}`];
      const { head } = await git.read(show, { maxBytes: 200 }, signal);
      return [file, head.toString().trim()];
    }),
  );
  const text = JSON.stringify([source, ref, step.command, step.folders, locked]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** Gives back the disk of folders that no run used for so long; false where they are in use, or are being made. */
export async function removePrepared(
  place: string,
  olderThanMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const lock = await lockVolume(lockOf(place), { wait: false, signal });
  if (lock === null) return false;
  const aside = join(dirname(place), `${REMOVING}${basename(place)}.${randomBytes(6).toString("hex")}`);
  try {
    if (!(await isOlder(place, olderThanMs))) return false;
    await rename(place, aside);
  } finally {
    await lock.release();
  }
  await removeTree(aside);
  return true;
}

/** What lies among the prepared folders: those, and what a killed removal left. Lock files stay: somebody may hold them. */
export async function preparedPlaces(
  volume: string,
): Promise<{ readonly folders: readonly string[]; readonly removing: readonly string[] }> {
  const root = join(volume, "prepared");
  const names = await readdir(root).catch((error: unknown) => {
    if (errnoCode(error) === "ENOENT") return []; // no run had anything prepared
    throw error;
  });
  const placesOf = (kind: RegExp): readonly string[] =>
    names.filter((name) => kind.test(name)).map((name) => join(root, name));
  return { folders: placesOf(/^[0-9a-f]+$/), removing: placesOf(/^\.removing-/) };
}

function lockOf(place: string): string {
  return `${place}.lock`;
}

async function prepareNow(request: PrepareRequest, place: string, signal: AbortSignal): Promise<void> {
  const { git, mirror, baseRevision, serviceUser, source, step, volume } = request;
  const scratch = workspacePlaces(request.scratch);
  const made = join(scratch.root, "made");
  const cache = cachePlace(volume, source);
  await makePrivateDirectory(scratch.root, serviceUser);
  await makePrivateDirectory(dirname(cache), serviceUser);
  await mkdir(cache, { recursive: true, mode: 0o755 });
  await mkdir(made, { mode: 0o700 });
  try {
    await checkOut({ git, places: scratch, mirror, baseRevision }, signal);
    if (serviceUser !== null) await giveTree(scratch.tree, serviceUser);
    if (serviceUser !== null) await lchown(cache, serviceUser.uid, serviceUser.gid);
    await request.run({ tree: scratch.tree, cache, name: `prepare-${basename(place)}`, step }, signal);
    for (const [number, folder] of step.folders.entries()) {
      await moveOut(scratch.tree, folder, join(made, String(number)));
    }
    await rename(made, place);
  } finally {
    await removeTree(scratch.root);
  }
}

/** The step may have put links anywhere: none is followed. */
async function moveOut(tree: string, folder: string, place: string): Promise<void> {
  const components = folder.split("/");
  const root = await openRoot(tree);
  const parent = await closingAfter(
    root,
    holdDirectory({ root, components: components.slice(0, -1), create: null }),
  );
  if (!parent.ok) return;
  const leaf = components.at(-1) ?? "";
  await closingAfter(parent.handle, moveHeld(parent.handle, leaf, place));
}

async function moveHeld(...[parent, leaf, place]: readonly [Held, string, string]): Promise<void> {
  const entry = await holdEntry(parent, leaf);
  if (!entry.ok) return;
  const isFolder = (await closingAfter(entry.handle, entry.handle.stat())).isDirectory();
  if (!isFolder) throw new AirlockError("WORKSPACE_UNAVAILABLE", `prepare made no folder of ${leaf}`);
  await rename(below(parent, leaf), place).catch((error: unknown) => {
    if (errnoCode(error) !== "ENOENT") throw error;
  });
}
type Held = Parameters<typeof holdEntry>[0];
