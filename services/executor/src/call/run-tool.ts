import type { JsonObject } from "@airlock/core/json";
import type { ToolManifest } from "@airlock/core/tool";
import type { ToolBody, ToolOutcome } from "../tools/index.ts";
import type { Lease } from "./lease.ts";
import type { PreparedCall } from "./prepare-call.ts";

/**
 * Runs the body of a begun call. A body that throws was not seen to end: what it did is unknown,
 * and so is what its error may quote, which is why the error goes no further.
 */
export async function runTool(
  call: {
    readonly itemKey: string;
    readonly fence: number;
    readonly lease: Lease;
    readonly prepared: Extract<PreparedCall, { ok: true }>;
    readonly manifest: ToolManifest;
    readonly args: JsonObject;
    readonly bodies: ReadonlyMap<string, ToolBody>;
  },
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { itemKey, fence, lease, prepared, manifest, args, bodies } = call;
  const body = bodies.get(manifest.name);
  if (body === undefined) {
    return {
      status: "refused",
      errorClass: "TOOL_UNKNOWN",
      detail: "the executor has no body for this tool",
    };
  }
  const context = {
    files: prepared.files,
    session: prepared.session,
    missing: [],
    limits: manifest.limits,
    name: `${itemKey}.${fence}`,
    fenceHolds: () => lease.holds(),
  };
  try {
    return await body(context, args, signal);
  } catch {
    return { status: "unknown", errorClass: "OUTCOME_UNKNOWN", detail: "the tool's end was not seen" };
  }
}
