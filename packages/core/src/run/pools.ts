import { z } from "zod";
import type { RunEvent } from "../contract/index.ts";
import {
  eventText,
  globalKeys,
  LUA_APPEND_EVENTS,
  LUA_NOW,
  redisNow,
  runKeys,
  runScript,
  type Redis,
  type Script,
} from "../store/index.ts";

/** How often an executor says that it lives, and after how long a silence it counts as gone. */
export const POOL_BEAT_MS = 2_000;
const POOL_SILENT_MS = 10_000;
const REMEMBERED_MS = 3_600_000;
const FIELD = "executor:";

const memberSchema = z.object({ host: z.string(), seenAt: z.number(), draining: z.boolean() });

/** One executor of a pool, as it last said of itself. `seenAt` is milliseconds of Redis' clock. */
export type PoolMember = Readonly<z.infer<typeof memberSchema>> & { readonly id: string };

export interface Pool {
  readonly name: string;
  readonly members: readonly PoolMember[];
  /** how many runs that go on are bound to it */
  readonly runs: number;
}

/** An executor's sign of life. Of others that have been silent for an hour it clears the traces. */
export async function beatPool(
  redis: Redis,
  pool: string,
  { id, host, draining }: Omit<PoolMember, "seenAt">,
): Promise<void> {
  const seenAt = await redisNow(redis);
  const key = globalKeys.pool(pool);
  await redis.hset(key, `${FIELD}${id}`, JSON.stringify({ host, seenAt, draining }));
  await redis.sadd(globalKeys.pools, pool);
  const members = await readMembers(redis, pool);
  const old = members.filter((member) => seenAt - member.seenAt > REMEMBERED_MS);
  if (old.length > 0) await redis.hdel(key, ...old.map((member) => `${FIELD}${member.id}`));
}

/** Every pool that an executor ever served, by name. */
export async function readPools(redis: Redis): Promise<readonly Pool[]> {
  const names = (await redis.smembers(globalKeys.pools)).toSorted();
  return Promise.all(names.map((name) => readPool(redis, name)));
}

export async function readPool(redis: Redis, name: string): Promise<Pool> {
  const [members, runs] = await Promise.all([
    readMembers(redis, name),
    redis.scard(globalKeys.poolRuns(name)),
  ]);
  return { name, members, runs };
}

async function readMembers(redis: Redis, pool: string): Promise<readonly PoolMember[]> {
  const fields = Object.entries(await redis.hgetall(globalKeys.pool(pool)));
  return fields.flatMap(([field, text]) => {
    const member = field.startsWith(FIELD) ? memberOf(text) : null;
    return member === null ? [] : [{ id: field.slice(FIELD.length), ...member }];
  });
}

function memberOf(text: string) {
  try {
    return memberSchema.parse(JSON.parse(text));
  } catch {
    return null; // another build's, or nobody's: an executor that can't be read is none to count on
  }
}

export function isLiveMember({ seenAt, draining }: PoolMember, now: number): boolean {
  return !draining && now - seenAt <= POOL_SILENT_MS;
}

/**
 * Binds a run to a pool, once and for all.
 *   KEYS 1 run, 2 events    ARGV 1 pool, 2 events    Returns the pool that it is bound to, "" where it has ended
 */
const BIND: Script = {
  name: "run-bind-pool",
  lua: `${LUA_NOW}${LUA_APPEND_EVENTS}
local run = redis.call('HMGET', KEYS[1], 'pool', 'state', 'endedAt')
if run[1] then return run[1] end
if not run[2] or run[3] then return '' end
redis.call('HSET', KEYS[1], 'pool', ARGV[1], 'poolBoundAt', now())
redis.call('HDEL', KEYS[1], 'poolAwaited')
append_events(KEYS[2], ARGV[2])
return ARGV[1]`,
};

/** Returns the pool that the run is bound to, whoever bound it; null where the run has ended. */
export async function bindPool(redis: Redis, run: string, pool: string): Promise<string | null> {
  const keys = runKeys(run);
  const events: readonly RunEvent[] = [{ type: "run_bound", pool }];
  const input = { keys: [keys.run, keys.events], args: [pool, eventText(events)] };
  const bound = z.string().parse(await runScript(redis, BIND, input));
  return bound === "" ? null : bound;
}

/**
 * Notes that a run waits for a pool; tells of it once.
 *   KEYS 1 run, 2 events    ARGV 1 events    Returns 1 | 0
 */
const AWAIT: Script = {
  name: "run-await-pool",
  lua: `${LUA_APPEND_EVENTS}
local run = redis.call('HMGET', KEYS[1], 'state', 'endedAt', 'pool')
if not run[1] or run[2] or run[3] then return 0 end
if redis.call('HSETNX', KEYS[1], 'poolAwaited', '1') == 0 then return 0 end
append_events(KEYS[2], ARGV[1])
return 1`,
};

export async function awaitPool(redis: Redis, run: string): Promise<void> {
  const keys = runKeys(run);
  await runScript(redis, AWAIT, {
    keys: [keys.run, keys.events],
    args: [eventText([{ type: "pool_awaited" }])],
  });
}

/** Counts the run among those of its pool. Repeating it changes nothing. */
export async function joinPool(redis: Redis, run: string, pool: string): Promise<void> {
  await redis.sadd(globalKeys.poolRuns(pool), run);
}

/** The run has ended: its pool may be given others. */
export async function leavePool(redis: Redis, run: string): Promise<void> {
  const pool = await redis.hget(runKeys(run).run, "pool");
  if (pool !== null) await redis.srem(globalKeys.poolRuns(pool), run);
}

/** Takes runs that ended, or that Redis forgot, out of the counts: an ending that was cut short leaves one behind. */
export async function recountPools(redis: Redis): Promise<void> {
  for (const name of await redis.smembers(globalKeys.pools)) {
    const key = globalKeys.poolRuns(name);
    for (const run of await redis.smembers(key)) {
      const [state, endedAt] = await redis.hmget(runKeys(run).run, "state", "endedAt");
      if (typeof state !== "string" || typeof endedAt === "string") await redis.srem(key, run);
    }
  }
}
