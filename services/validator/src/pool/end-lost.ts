// A run whose calls are open in, its end out where every executor of its pool has been gone for too long: its workspace went
// with them, and no other pool could go on where it stands.
import { sendCancel } from "@airlock/core/queue";
import type { TurnParts } from "@airlock/core/record";
import { readPool, type RunHash } from "@airlock/core/run";
import type { Deps } from "../deps.ts";
import { endRun } from "../outcome/end-run.ts";
import { silentMs } from "./choose-pool.ts";

/** True where it ended the run. */
export async function endLost(
  deps: Deps,
  parts: TurnParts,
  { run, now }: { readonly run: Pick<RunHash, "pool" | "poolBoundAt">; readonly now: number },
): Promise<boolean> {
  if (run.pool === undefined) return false;
  const silent = silentMs(await readPool(deps.redis, run.pool), { now, since: run.poolBoundAt ?? now });
  if (silent < deps.config.poolLostMs) return false;
  const detail = `pool ${run.pool} has had no executor for ${Math.round(silent / 1_000)} s`;
  await endRun(deps, parts, { state: "escalated", errorClass: "POOL_LOST", detail });
  await sendCancel(deps.redis, parts.run);
  return true;
}
