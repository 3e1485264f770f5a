import { chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { errnoCode } from "./held-directory.ts";
import { exists, fetchRevision } from "./mirror.ts";
import { assertReachable, giveTree, makePrivateDirectory } from "./ownership.ts";
import { removeTree } from "./remove-tree.ts";
import type { ServiceUser } from "./service-user.ts";
import { createTrustedGit, type TrustedGit } from "./trusted-git.ts";
import {
  assertRunId,
  builderName,
  buildingPlace,
  mirrorPlace,
  workspacePlaces,
  type WorkspacePlaces,
} from "./workspace-places.ts";
import { readRecord, writeRecord } from "./workspace-record.ts";

/**
 * A run's source and ref in, its own tree and git dir out. Built aside and renamed, so that a workspace either is
 * whole or isn't there, also where two executors build it at once; asked again, it returns what exists. It refuses a run id that already has another source.
 */
export interface WorkspaceRequest {
  readonly volume: string;
  readonly runId: string;
  readonly source: string;
  /** A branch, a tag, a full commit id, or HEAD. */
  readonly ref: string;
  /** the commit that the ref has to be; left out, whichever it is */
  readonly baseRevision?: string | undefined;
  readonly serviceUser: ServiceUser | null;
}

export interface Workspace {
  readonly tree: string;
  readonly gitDir: string;
  /** For the executor's own half-written files; never visible in a sandbox. */
  readonly staging: string;
  /** The mirror's objects, which the git dir borrows. */
  readonly objects: string;
  readonly baseRevision: string;
}

export async function prepareWorkspace(request: WorkspaceRequest, signal: AbortSignal): Promise<Workspace> {
  assertRunId(request.runId);
  const places = workspacePlaces(join(request.volume, request.runId));
  const mirror = mirrorPlace(request.volume, request.source);
  if (!(await exists(places.root))) await build(request, mirror, signal);
  const record = await readRecord(places);
  if (record === null) throw unavailable("the run's workspace has lost its record");
  if (record.removedAt !== undefined) {
    throw unavailable("the run's workspace was removed after the run's end (AIRLOCK_WORKSPACE_MS)");
  }
  if (record.source !== request.source || record.ref !== request.ref) {
    throw unavailable("the run's workspace was made from another source or ref");
  }
  const { tree, gitDir, staging } = places;
  return { tree, gitDir, staging, objects: join(mirror, "objects"), baseRevision: record.baseRevision };
}

function unavailable(detail: string): AirlockError {
  return new AirlockError("WORKSPACE_UNAVAILABLE", detail);
}

async function build(request: WorkspaceRequest, mirror: string, signal: AbortSignal): Promise<void> {
  const { volume, runId, source, ref, serviceUser } = request;
  // An operator's own directory keeps its owner and mode.
  if (!(await exists(volume))) await makePrivateDirectory(volume, serviceUser);
  await makePrivateDirectory(join(volume, "mirrors"), serviceUser);
  await assertReachable(volume, serviceUser);
  const builder = builderName(runId);
  const building = workspacePlaces(buildingPlace(volume, builder));
  await makePrivateDirectory(building.root, serviceUser);
  const git = await createTrustedGit(join(building.root, "home"));
  const baseRevision = await fetchRevision(git, { mirror, source, ref, builder }, signal);
  await refuseOtherRevision(request, baseRevision, building.root);
  await checkOut({ git, places: building, mirror, baseRevision }, signal);
  await mkdir(building.staging, { mode: 0o700 });
  if (serviceUser !== null) {
    await giveTree(building.tree, serviceUser);
    await giveTree(building.gitDir, serviceUser);
  }
  // Owners changed, so the index is brought up to date once more: inside the sandbox it can't be.
  await git.run([...inTree(building), "update-index", "-q", "--refresh"], signal);
  if (serviceUser !== null) await giveTree(building.gitDir, serviceUser);
  await removeTree(join(building.root, "home"));
  await writeRecord(building, { version: 1, source, ref, baseRevision, prepared: [] });
  await moveIntoPlace(building.root, join(volume, runId));
}

async function refuseOtherRevision(
  { baseRevision: wanted }: WorkspaceRequest,
  found: string,
  building: string,
): Promise<void> {
  if (wanted === undefined || wanted === found) return;
  await removeTree(building);
  throw unavailable("the ref is another commit than workspace.baseRevision");
}

/** The first preparation that is whole wins; what another one built beside it is dropped. */
async function moveIntoPlace(building: string, place: string): Promise<void> {
  try {
    await rename(building, place);
  } catch (error) {
    const lostRace = errnoCode(error) === "ENOTEMPTY" || errnoCode(error) === "EEXIST";
    await removeTree(building);
    if (!lostRace) throw error;
  }
}

interface CheckOut {
  readonly git: TrustedGit;
  readonly places: WorkspacePlaces;
  readonly mirror: string;
  readonly baseRevision: string;
}

async function checkOut(request: CheckOut, signal: AbortSignal): Promise<void> {
  const { git, places, mirror, baseRevision } = request;
  const init = ["init", "--quiet", "--template=", "--shared=0644", `--separate-git-dir=${places.gitDir}`];
  await git.run([...init, places.tree], signal);
  await chmod(places.tree, 0o755);
  await mkdir(join(places.gitDir, "objects", "info"), { recursive: true });
  await writeFile(join(places.gitDir, "objects", "info", "alternates"), `${join(mirror, "objects")}\n`);
  const inside = inTree(places);
  await git.run([...inside, "config", "core.checkStat", "minimal"], signal);
  await git.run([...inside, "symbolic-ref", "HEAD", "refs/heads/airlock"], signal);
  await git.run([...inside, "reset", "--quiet", "--hard", baseRevision], signal);
  // Meaningful only in the sandbox, where the git dir is mounted read-only under this name.
  await writeFile(join(places.tree, ".git"), "gitdir: /git\n");
}

function inTree(places: WorkspacePlaces): readonly string[] {
  return [`--git-dir=${places.gitDir}`, `--work-tree=${places.tree}`];
}
