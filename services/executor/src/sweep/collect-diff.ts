// An ended run's workspace in, its sealed diff out, taken once for each end; what could not be compared is said in it,
// so that a tree which git can't read keeps nobody from cleaning up.
import { join } from "node:path";
import { AirlockError } from "@airlock/core/fault";
import { writeRunDiff, type Repositories, type RunDiff } from "@airlock/core/run";
import type { Keyring } from "@airlock/core/record";
import type { Redis } from "@airlock/core/store";
import {
  commitRun,
  commitsPlace,
  compareTree,
  mirrorPlace,
  workspacePlaces,
  type Comparison,
  type WorkspaceRecord,
} from "../workspace/index.ts";
import { effectsOf } from "./effects-of.ts";

export interface DiffDeps {
  readonly redis: Redis;
  readonly keyring: Keyring;
  readonly repositories: Repositories;
  readonly volume: string;
  readonly pool: string;
}

/** Far below what Redis takes in one value; the whole is in the workspace until that is removed. */
const LIMITS = { textBytes: 2 * 1024 * 1024, files: 5_000 };
const COMPARE_MS = 10 * 60_000;

/** False where the run is gone or goes on again: its diff is nobody's. */
export async function collectDiff(
  deps: DiffDeps,
  run: {
    readonly id: string;
    readonly endedAt: number;
    readonly turns: number;
    readonly record: WorkspaceRecord;
  },
  signal: AbortSignal,
): Promise<boolean> {
  const { source, baseRevision, prepared } = run.record;
  const objects = join(mirrorPlace(deps.volume, source), "objects");
  const commits = commitsPlace(deps.volume, source);
  const places = workspacePlaces(join(deps.volume, run.id));
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(COMPARE_MS)]);
  const head = { version: 1, endedAt: run.endedAt, baseRevision, prepared } as const;
  const compared = { places, objects, baseRevision, prepared, limits: LIMITS };
  const commit = async (comparison: Comparison): Promise<string | null> => {
    if (deps.repositories(source)?.commit !== true || comparison.diff.filesTotal === 0) return null;
    const effects = await effectsOf(deps.redis, { run: run.id, turns: run.turns });
    return commitRun({ comparison, objects, commits, run: run.id, baseRevision, ...effects }, bounded);
  };
  const diff = await compareTree(
    compared,
    async (comparison): Promise<RunDiff> => ({
      ...head,
      ...comparison.diff,
      branch: await commit(comparison),
    }),
    bounded,
  ).catch((error: unknown): RunDiff => ({ ...head, ...NOTHING, problems: [reasonOf(error, signal)] }));
  return writeRunDiff(deps, run.id, diff);
}

/** Of a run whose pool this is and that has no workspace here: it changed nothing. */
export function noteNoWorkspace(
  deps: DiffDeps,
  run: { readonly id: string; readonly endedAt: number },
): Promise<boolean> {
  const problems = ["the run has no workspace: none of its calls got that far"];
  const { id, endedAt } = run;
  return writeRunDiff(deps, id, {
    version: 1,
    endedAt,
    baseRevision: null,
    prepared: [],
    ...NOTHING,
    problems,
  });
}

const NOTHING = {
  files: [],
  filesTotal: 0,
  text: "",
  textBytes: 0,
  ignored: [],
  ignoredTotal: 0,
  branch: null,
} as const;

/** Rethrows what the next sweep may find mended: a stop of the process, a full or broken disk. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) throw error;
  if (error instanceof AirlockError && error.code === "WORKSPACE_UNAVAILABLE") return error.detail;
  if (error instanceof Error && error.name === "TimeoutError") return "comparing the tree took too long";
  if (error instanceof Error && error.name === "AbortError") return "comparing the tree took too long";
  throw error;
}
