import type { ExecutionBody } from "@airlock/core/contract";
import { killedBy } from "@airlock/core/run";
import type { Deps } from "../deps.ts";
import type { CallRefusal } from "../grant/open-call.ts";

/**
 * Whether a person has stopped the call, read as the last thing before it begins. A switch that is set between this and
 * the begin, within one round trip to Redis, stops the next call.
 */
export async function killRefusal(
  { redis }: Pick<Deps, "redis">,
  { run, tool, workspace }: Pick<ExecutionBody, "run" | "tool" | "workspace">,
): Promise<CallRefusal | null> {
  const target = await killedBy(redis, { run, tool, source: workspace.source });
  if (target === null) return null;
  return { ok: false, errorClass: "KILL_SWITCH", detail: `the switch ${scopeOf(target)} is set` };
}

/** Without the name: a source or a run is nothing for the log of a refusal. */
function scopeOf(target: string): string {
  return target.split(":")[0] ?? target;
}
