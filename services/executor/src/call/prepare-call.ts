// Takes a claimed grant, gives the run's workspace with its files and, for commands, its sandbox;
// refuses, before anything begins, what the machine, the operator or Redis can't carry.
import type { ExecutionBody } from "@airlock/core/contract";
import { AirlockError, type ErrorClass } from "@airlock/core/fault";
import { RUN_CANCELLED } from "@airlock/core/queue";
import { DEFAULT_QUOTA } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { DEFAULT_SANDBOX_LIMITS, lacks, type SandboxSession } from "../sandbox/index.ts";
import { isDiskFull, openWorkspaceFs, type Workspace, type WorkspaceFs } from "../workspace/index.ts";
import { createQuotaGuard, type QuotaGuard } from "./quota.ts";
import { toolClass } from "./tool-classes.ts";

export type PreparedCall =
  | {
      readonly ok: true;
      readonly files: WorkspaceFs;
      readonly quota: QuotaGuard;
      /** Whether the workspace is still leased to this call: begin compares this epoch with that of its claim. */
      readonly epochHolds: () => Promise<boolean>;
      readonly workspace: Workspace;
      /** null for tools that start no program */
      readonly session: SandboxSession | null;
      close(): Promise<void>;
    }
  | { readonly ok: false; readonly errorClass: ErrorClass; readonly detail: string };

export async function prepareCall(
  deps: Deps,
  grant: ExecutionBody,
  { outputBytes, signal }: { readonly outputBytes: number; readonly signal: AbortSignal },
): Promise<PreparedCall> {
  const refused = (await durabilityRefusal(deps, grant)) ?? sandboxRefusal(deps, grant.tool);
  if (refused !== null) return refused;
  try {
    const workspace = await deps.workspaces(grant, signal);
    const opened = await openWorkspaceFs({ ...workspace, serviceUser: deps.serviceUser });
    const allowed = deps.repositories(grant.workspace.source)?.quota ?? DEFAULT_QUOTA;
    const quota = createQuotaGuard(workspace, opened, allowed);
    const { files } = quota;
    const epochHolds = await watchEpoch(deps, grant);
    const session = await openSession(deps, workspace, { tool: grant.tool, outputBytes });
    return {
      ok: true,
      files,
      quota,
      epochHolds,
      workspace,
      session,
      async close() {
        await Promise.all([files.close(), session?.close()]);
      },
    };
  } catch (error) {
    if (signal.aborted && signal.reason !== RUN_CANCELLED) throw error; // nothing is said about the call
    if (signal.aborted) return CANCELLED;
    if (isDiskFull(error)) return { ok: false, errorClass: "DISK_FULL", detail: "no room for a workspace" };
    if (!(error instanceof AirlockError)) throw error;
    return { ok: false, errorClass: "WORKSPACE_FAILED", detail: error.message };
  }
}

const CANCELLED = {
  ok: false,
  errorClass: "CANCELLED",
  detail: "cancelled while its workspace was prepared",
} as const;

async function watchEpoch({ redis }: Deps, { run, effect }: ExecutionBody): Promise<() => Promise<boolean>> {
  if (effect === "read") return () => Promise.resolve(true);
  const read = () => redis.hget(runKeys(run).workspace, "epoch");
  const claimed = await read();
  return async () => (await read()) === claimed;
}

async function durabilityRefusal(deps: Deps, grant: ExecutionBody): Promise<PreparedCall | null> {
  if (grant.effect === "read") return null;
  const detail = await deps.durability.refusal();
  return detail === null ? null : { ok: false, errorClass: "DURABILITY_UNAVAILABLE", detail };
}

function sandboxRefusal(deps: Deps, tool: string): PreparedCall | null {
  const missing = lacks(toolClass(tool), deps.sandbox);
  if (missing.length === 0) return null;
  deps.metrics.count("airlock_sandbox_refusals_total", { reason: "unavailable" });
  return { ok: false, errorClass: "SANDBOX_UNAVAILABLE", detail: `missing here: ${missing.join(", ")}` };
}

async function openSession(
  deps: Deps,
  workspace: Workspace,
  { tool, outputBytes }: { readonly tool: string; readonly outputBytes: number },
): Promise<SandboxSession | null> {
  if (toolClass(tool) !== "command" || deps.sandbox === null) return null;
  const { tree, gitDir, objects } = workspace;
  return deps.sandbox.backend.open(
    { tree, git: { gitDir, objects } },
    { ...DEFAULT_SANDBOX_LIMITS, outputBytes },
  );
}
