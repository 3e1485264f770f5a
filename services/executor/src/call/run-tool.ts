import type { JsonObject } from "@airlock/core/json";
import type { ToolManifest } from "@airlock/core/tool";
import type { Lease } from "../lease/index.ts";
import type { ReadyPlan, Tool, ToolContext, ToolOutcome, ToolPlan } from "../tools/index.ts";
import { fencedFiles } from "../workspace/index.ts";
import type { PreparedCall } from "./prepare-call.ts";

export interface PlannedCall {
  readonly itemKey: string;
  readonly fence: number;
  readonly lease: Lease;
  readonly source: string;
  readonly may: ToolContext["may"];
  readonly prepared: Extract<PreparedCall, { ok: true }>;
  readonly manifest: ToolManifest;
  readonly args: JsonObject;
  readonly bodies: ReadonlyMap<string, Tool>;
}

/** What the call would do, before it begins. Nothing has run whatever comes of it, so a plan that throws is a refusal. */
export async function planTool(call: PlannedCall, signal: AbortSignal): Promise<ToolPlan> {
  const tool = call.bodies.get(call.manifest.name);
  if (tool === undefined) return refused("TOOL_UNKNOWN", "the executor has no body for this tool");
  const { prepared, manifest, args } = call;
  try {
    const over = await prepared.quota.refusal(manifest, args);
    if (over !== null) return refused("QUOTA_EXCEEDED", over);
    const plan = await tool.plan(contextOf(call), args, signal);
    if (plan.kind === "outcome") return plan;
    return { ...plan, run: async (any) => prepared.quota.counted(manifest, await plan.run(any)) };
  } catch {
    // What the error says may quote arguments.
    return refused("TOOL_FAILED", "the tool could not look at what it needs, and nothing was run");
  }
}

/**
 * Runs what was planned, once the call has begun. A run that throws was not seen to end: what it did is unknown,
 * and so is what its error may quote, which is why the error goes no further.
 */
export async function runPlan(plan: ReadyPlan, signal: AbortSignal): Promise<ToolOutcome> {
  try {
    return await plan.run(signal);
  } catch {
    return { status: "unknown", errorClass: "OUTCOME_UNKNOWN", detail: "the tool's end was not seen" };
  }
}

function contextOf({ itemKey, fence, lease, source, may, prepared, manifest }: PlannedCall): ToolContext {
  const { files, session, workspace } = prepared;
  const fenceHolds = async (): Promise<boolean> => (await prepared.epochHolds()) && (await lease.holds());
  return {
    files: fencedFiles(files, fenceHolds),
    session,
    workspace,
    source,
    may,
    missing: [],
    limits: manifest.limits,
    itemKey,
    name: `${itemKey}.${fence}`,
    fenceHolds,
  };
}

function refused(errorClass: "TOOL_UNKNOWN" | "TOOL_FAILED" | "QUOTA_EXCEEDED", detail: string): ToolPlan {
  return { kind: "outcome", outcome: { status: "refused", errorClass, detail } };
}
