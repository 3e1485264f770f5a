import path from "node:path";
import type { ExecutionBody } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { sourceAllowed, type Repositories } from "@airlock/core/run";
import type { ExecutorConfig } from "../config.ts";
import { prepareWorkspace, type RunPrepare, type ServiceUser, type Workspace } from "../workspace/index.ts";

/** Gives the workspace of a granted run, made on its first call; calls that ask together wait for one preparation. */
export type Workspaces = (grant: Pick<ExecutionBody, "run" | "workspace">) => Promise<Workspace>;

/** What went wrong a moment ago goes wrong again: the calls of a run don't each wait for it anew. */
const FAILED_MS = 30_000;

/** Throws WORKSPACE_UNAVAILABLE for a source that the operator doesn't allow, and where the preparation fails. */
export function createWorkspaces(
  deps: {
    readonly config: Pick<ExecutorConfig, "volume" | "sources">;
    readonly serviceUser: ServiceUser | null;
    readonly repositories: Repositories;
    readonly runPrepare: RunPrepare;
  },
  signal: AbortSignal,
): Workspaces {
  const { config, serviceUser, repositories, runPrepare } = deps;
  const volume = path.resolve(config.volume);
  const preparing = new Map<string, Promise<Workspace>>();
  const failed = new Map<string, { readonly error: unknown; readonly until: number }>();
  return async ({ run, workspace: { source, ref, baseRevision } }) => {
    if (!sourceAllowed(source, config.sources)) {
      throw new AirlockError(
        "WORKSPACE_UNAVAILABLE",
        "the source is not one that the operator allows (AIRLOCK_SOURCES)",
      );
    }
    const lately = failed.get(run);
    if (lately !== undefined && performance.now() < lately.until) throw lately.error;
    failed.delete(run);
    const known = preparing.get(run);
    if (known !== undefined) return known;
    const { prepare: step, credentials } = repositories(source) ?? {};
    const prepared = prepareWorkspace(
      {
        volume,
        runId: run,
        source,
        ref,
        baseRevision,
        serviceUser,
        credentials,
        prepare: step === undefined ? undefined : { step, run: runPrepare },
      },
      signal,
    );
    preparing.set(run, prepared);
    try {
      return await prepared;
    } catch (error) {
      if (step !== undefined) {
        for (const [each, { until }] of failed) if (performance.now() >= until) failed.delete(each);
        failed.set(run, { error, until: performance.now() + FAILED_MS });
      }
      throw error;
    } finally {
      preparing.delete(run);
    }
  };
}
