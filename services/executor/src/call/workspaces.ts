import path from "node:path";
import type { ExecutionBody } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { sourceAllowed, type Repositories } from "@airlock/core/run";
import type { ExecutorConfig } from "../config.ts";
import { createLatelyFailed } from "./lately-failed.ts";
import { createSharedWork } from "./shared-work.ts";
import { prepareWorkspace, type RunPrepare, type ServiceUser, type Workspace } from "../workspace/index.ts";

/**
 * Gives the workspace of a granted run, made on its first call; calls that ask together wait for one preparation, which
 * goes on until the last of them is cancelled.
 */
export type Workspaces = (
  grant: Pick<ExecutionBody, "run" | "workspace">,
  signal: AbortSignal,
) => Promise<Workspace>;

const FAILED_MS = 30_000;

/** Throws WORKSPACE_UNAVAILABLE for a source that the operator doesn't allow, and where the preparation fails. */
export function createWorkspaces(
  deps: {
    readonly config: Pick<ExecutorConfig, "volume" | "sources">;
    readonly serviceUser: ServiceUser | null;
    readonly repositories: Repositories;
    readonly runPrepare: RunPrepare;
  },
  stopped: AbortSignal,
): Workspaces {
  const { config, serviceUser, repositories, runPrepare } = deps;
  const volume = path.resolve(config.volume);
  const prepareShared = createSharedWork<Workspace>();
  const failed = createLatelyFailed(FAILED_MS);
  return async ({ run, workspace: { source, ref, baseRevision } }, signal) => {
    refuseForeign(source, config.sources);
    failed.check(run);
    return prepareShared(run, signal, async (wanted) => {
      const { prepare: step, credentials } = repositories(source) ?? {};
      const prepare = step === undefined ? undefined : { step, run: runPrepare };
      const request = { volume, runId: run, source, ref, baseRevision, serviceUser, credentials, prepare };
      try {
        return await prepareWorkspace(request, AbortSignal.any([stopped, wanted]));
      } catch (error) {
        if (step !== undefined && !wanted.aborted) failed.note(run, error);
        throw error;
      }
    });
  };
}

function refuseForeign(source: string, allowed: readonly string[]): void {
  if (sourceAllowed(source, allowed)) return;
  throw new AirlockError(
    "WORKSPACE_UNAVAILABLE",
    "the source is not one that the operator allows (AIRLOCK_SOURCES)",
  );
}
