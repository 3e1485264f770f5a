import { runKeys, globalKeys, redisNow, type Redis } from "@airlock/core/store";

/** A mutating call that holds its run's workspace. */
export interface LeaseDocument {
  readonly run: string;
  readonly itemKey: string;
  readonly until: string;
}

export interface PoolLeases {
  readonly leases: readonly LeaseDocument[];
  /** how many of the pool's runs were looked at: at most so many */
  readonly seenRuns: number;
}

const MOST_RUNS = 500;

/** The workspaces of a pool that a call holds right now; the last to run out first. */
export async function listLeases(redis: Redis, pool: string): Promise<PoolLeases> {
  const [, runs] = await redis.sscan(globalKeys.poolRuns(pool), "0", "COUNT", MOST_RUNS);
  const seen = runs.slice(0, MOST_RUNS);
  const now = await redisNow(redis);
  const pipeline = redis.pipeline();
  for (const run of seen) pipeline.hmget(runKeys(run).workspace, "holder", "holderUntil");
  const answers = (await pipeline.exec()) ?? [];
  const leases = seen.flatMap((run, at) => {
    const [error, fields] = answers[at] ?? [null, []];
    if (error) throw error;
    const values: readonly unknown[] = Array.isArray(fields) ? fields : [];
    const [holder, until] = values;
    if (typeof holder !== "string" || Number(until) <= now) return [];
    return [{ run, itemKey: holder, until: new Date(Number(until)).toISOString() }];
  });
  return { leases: leases.toSorted((a, b) => b.until.localeCompare(a.until)), seenRuns: seen.length };
}
