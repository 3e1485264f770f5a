// A run that is to have its first call in, the pool that all its calls go to out: chosen once, kept in the run's record.
// Null where no pool has a live executor: the run waits, and says so. Who then grants a call also counts the run among the pool's.
import { turnKey, type TurnParts } from "@airlock/core/record";
import { awaitPool, bindPool, readPools } from "@airlock/core/run";
import { redisNow } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";
import { choosePool } from "./choose-pool.ts";

/** How soon a run without a pool is looked at again. */
const LOOK_AGAIN_MS = 2_000;

export async function bindRun(
  deps: Deps,
  parts: TurnParts,
  bound: Pick<AdmittedRun, "pool" | "plan">,
): Promise<string | null> {
  const { redis, config } = deps;
  const { run } = parts;
  const pool = await poolOf(deps, run, bound);
  if (pool !== null) return pool;
  await awaitPool(redis, run);
  await deps.store.keepOpen(turnKey(parts), Math.min(config.openMs, LOOK_AGAIN_MS));
  return null;
}

/** The same without waiting for one: a run without a pool stays without. */
export async function poolOf(
  deps: Deps,
  run: string,
  bound: Pick<AdmittedRun, "pool" | "plan">,
): Promise<string | null> {
  return bound.pool ?? bound.plan.pool ?? (await chooseFor(deps, run));
}

async function chooseFor({ redis, config, log }: Deps, run: string): Promise<string | null> {
  const pools = await readPools(redis);
  const chosen = choosePool(pools, { allowed: config.pools, now: await redisNow(redis) });
  if (chosen === null) return null;
  const bound = await bindPool(redis, run, chosen);
  if (bound !== null) log.write("info", "run_bound", { run, place: bound });
  return bound;
}
