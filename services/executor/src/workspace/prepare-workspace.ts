import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { AirlockError } from "@airlock/core/fault";
import type { FetchCredentials, PrepareStep } from "@airlock/core/run";
import { checkOut, inTree } from "./check-out.ts";
import { credentialEnvironment } from "./fetch-credentials.ts";
import { errnoCode } from "./held-directory.ts";
import { exists, fetchRevision } from "./mirror.ts";
import { assertReachable, giveTree, makePrivateDirectory } from "./ownership.ts";
import { placeFolders } from "./place-folders.ts";
import { preparedFolders, type RunPrepare } from "./prepared-folders.ts";
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
  readonly credentials?: FetchCredentials | undefined;
  readonly prepare?: { readonly step: PrepareStep; readonly run: RunPrepare } | undefined;
}

export interface Workspace {
  readonly tree: string;
  readonly gitDir: string;
  /** For the executor's own half-written files; never visible in a sandbox. */
  readonly staging: string;
  /** Where it is kept what the tree holds. */
  readonly usage: string;
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
  const { tree, gitDir, staging, usage } = places;
  const { baseRevision } = record;
  return { tree, gitDir, staging, usage, objects: join(mirror, "objects"), baseRevision };
}

function unavailable(detail: string): AirlockError {
  return new AirlockError("WORKSPACE_UNAVAILABLE", detail);
}

async function build(request: WorkspaceRequest, mirror: string, signal: AbortSignal): Promise<void> {
  const { volume, runId, serviceUser } = request;
  // An operator's own directory keeps its owner and mode.
  if (!(await exists(volume))) await makePrivateDirectory(volume, serviceUser);
  await makePrivateDirectory(join(volume, "mirrors"), serviceUser);
  await assertReachable(volume, serviceUser);
  const builder = builderName(runId);
  const building = workspacePlaces(buildingPlace(volume, builder));
  await makePrivateDirectory(building.root, serviceUser);
  try {
    await buildIn(building, { ...request, mirror, builder }, signal);
    await moveIntoPlace(building.root, join(volume, runId));
  } catch (error) {
    await removeTree(building.root);
    throw error;
  }
}

async function buildIn(
  building: WorkspacePlaces,
  request: WorkspaceRequest & { readonly mirror: string; readonly builder: string },
  signal: AbortSignal,
): Promise<void> {
  const { source, ref, serviceUser, credentials, mirror, builder } = request;
  const home = join(building.root, "home");
  await mkdir(home, { mode: 0o700 });
  const environment = credentials === undefined ? {} : await credentialEnvironment(home, source, credentials);
  const git = await createTrustedGit(home, { environment });
  const baseRevision = await fetchRevision(git, { mirror, source, ref, builder }, signal);
  if (request.baseRevision !== undefined && request.baseRevision !== baseRevision) {
    throw unavailable("the ref is another commit than workspace.baseRevision");
  }
  await checkOut({ git, places: building, mirror, baseRevision }, signal);
  await mkdir(building.staging, { mode: 0o700 });
  if (serviceUser !== null) {
    await giveTree(building.tree, serviceUser);
    await giveTree(building.gitDir, serviceUser);
  }
  const prepared = await prepareTree(building, { ...request, git, baseRevision }, signal);
  // Owners changed, so the index is brought up to date once more: inside the sandbox it can't be.
  await git.run([...inTree(building), "update-index", "-q", "--refresh"], signal);
  if (serviceUser !== null) await giveTree(building.gitDir, serviceUser);
  await removeTree(home);
  await writeRecord(building, { version: 1, source, ref, baseRevision, prepared: [...prepared] });
}

/** Fills the folders of a repository's `prepare` step; returns those that there are. */
async function prepareTree(
  building: WorkspacePlaces,
  request: WorkspaceRequest & {
    readonly mirror: string;
    readonly git: TrustedGit;
    readonly baseRevision: string;
  },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { prepare, serviceUser } = request;
  if (prepare === undefined) return [];
  const { step } = prepare;
  const scratch = join(building.root, "prepare");
  const prepared = await preparedFolders({ ...request, ...prepare, scratch }, signal);
  return placeFolders(prepared, { tree: building.tree, folders: step.folders, serviceUser }, signal);
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
