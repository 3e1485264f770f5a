import path from "node:path";
import type { ExecutionBody } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { sourceAllowed } from "@airlock/core/run";
import type { ExecutorConfig } from "../config.ts";
import { prepareWorkspace, type ServiceUser, type Workspace } from "../workspace/index.ts";

/** Gives the workspace of a granted run, made on its first call; calls that ask together wait for one preparation. */
export type Workspaces = (grant: Pick<ExecutionBody, "run" | "workspace">) => Promise<Workspace>;

/** Throws WORKSPACE_UNAVAILABLE for a source that the operator doesn't allow, and where the preparation fails. */
export function createWorkspaces(
  config: Pick<ExecutorConfig, "volume" | "sources">,
  serviceUser: ServiceUser | null,
  signal: AbortSignal,
): Workspaces {
  const volume = path.resolve(config.volume);
  const preparing = new Map<string, Promise<Workspace>>();
  return async ({ run, workspace: { source, ref, baseRevision } }) => {
    if (!sourceAllowed(source, config.sources)) {
      throw new AirlockError(
        "WORKSPACE_UNAVAILABLE",
        "the source is not one that the operator allows (AIRLOCK_SOURCES)",
      );
    }
    const known = preparing.get(run);
    if (known !== undefined) return known;
    const request = { volume, runId: run, source, ref, baseRevision, serviceUser };
    const prepared = prepareWorkspace(request, signal);
    preparing.set(run, prepared);
    try {
      return await prepared;
    } finally {
      preparing.delete(run);
    }
  };
}
