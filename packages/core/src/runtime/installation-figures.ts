// A Redis connection in, the figures of the whole installation out, with a bounded number of commands that each look at one
// key's length or end. What Redis doesn't tell in time is left out, never guessed.
import { queueName, queuePrefix, QUEUES, type QueueFamily } from "../queue/index.ts";
import { namesOf } from "../fault/index.ts";
import { globalKeys, redisNow, type Redis } from "../store/index.ts";
import type { GaugeName, Metrics, Reading } from "./metrics.ts";

const DEADLINE_MS = 2_000;
/** Scrapes that come sooner after one another get the same figures. */
const KEPT_MS = 1_000;
const MOST_POOLS = 64;
const POOL = /^[a-z0-9-]{1,32}$/;
/** How many questions are looked at for the oldest one. */
const QUESTIONS = 100;

type Figures = Readonly<Partial<Record<GaugeName, readonly Reading[]>>>;

const NAMES = [
  "airlock_queue_jobs",
  "airlock_queue_oldest_seconds",
  "airlock_approvals_pending",
  "airlock_approvals_oldest_seconds",
  "airlock_unknown_calls",
  "airlock_unknown_oldest_seconds",
  "airlock_redis_memory_used_bytes",
  "airlock_redis_memory_share",
] as const satisfies readonly GaugeName[];

export function showInstallation(redis: Redis, metrics: Metrics): void {
  let reading: { readonly at: number; readonly done: Promise<void> } | null = null;
  metrics.allow("queue", namesOf(QUEUES));
  const read = async (): Promise<void> => {
    const figures = await inTime(readFigures(redis, (name) => metrics.allow("queue", [name])));
    for (const name of NAMES) metrics.show(name, figures?.[name] ?? []);
    metrics.show("airlock_installation_read", one(figures === null ? 0 : 1));
  };
  metrics.beforeScrape(() => {
    if (reading === null || performance.now() - reading.at > KEPT_MS)
      reading = { at: performance.now(), done: read() };
    return reading.done;
  });
}

/** Null where Redis refuses or keeps silent: the scrape says so, and the other metrics are told all the same. */
async function inTime(figures: Promise<Figures>): Promise<Figures | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), DEADLINE_MS);
  });
  return Promise.race([figures.catch(() => null), late]).finally(() => clearTimeout(timer));
}

async function readFigures(redis: Redis, onQueue: (name: string) => void): Promise<Figures> {
  const now = await redisNow(redis);
  const [names, memory, pending, unknown, oldestUnknown, oldestQuestion] = await Promise.all([
    queueNames(redis),
    redis.info("memory"),
    redis.zcard(globalKeys.approvals),
    redis.zcard(globalKeys.unknowns),
    redis.zrange(globalKeys.unknowns, "0", "0", "WITHSCORES"),
    oldestAsked(redis),
  ]);
  for (const name of names) onQueue(name);
  const queues = await Promise.all(names.map((name) => readQueue(redis, name)));
  return {
    airlock_queue_jobs: queues.flatMap(({ queue, jobs }) =>
      Object.entries(jobs).map(([state, value]) => ({ labels: { queue, state }, value })),
    ),
    airlock_queue_oldest_seconds: queues.map(({ queue, addedAt }) => ({
      labels: { queue },
      value: age(now, addedAt),
    })),
    airlock_approvals_pending: one(pending),
    airlock_approvals_oldest_seconds: one(age(now, oldestQuestion)),
    airlock_unknown_calls: one(unknown),
    airlock_unknown_oldest_seconds: one(age(now, timeOf(oldestUnknown[1]))),
    ...memoryFigures(memory),
  };
}

async function queueNames(redis: Redis): Promise<readonly string[]> {
  const pools = (await redis.smembers(globalKeys.pools)).filter((pool) => POOL.test(pool));
  const families = namesOf(QUEUES).filter((family) => family !== "executions");
  return [
    ...families,
    ...pools
      .toSorted()
      .slice(0, MOST_POOLS)
      .map((pool) => queueName("executions", pool)),
  ];
}

async function readQueue(redis: Redis, queue: string) {
  const key = (part: string): string => keyOf(queue, part);
  const [waiting, active, paused, prioritized, delayed, next, nextPrioritized] = await Promise.all([
    redis.llen(key("wait")),
    redis.llen(key("active")),
    redis.llen(key("paused")),
    redis.zcard(key("prioritized")),
    redis.zcard(key("delayed")),
    redis.lindex(key("wait"), -1),
    redis.zrange(key("prioritized"), "0", "0"),
  ]);
  const heads = [next, nextPrioritized[0] ?? null];
  const times = await Promise.all(heads.map((job) => addedAt(redis, queue, job)));
  return { queue, jobs: { waiting, prioritized, delayed, active, paused }, addedAt: earliest(times) };
}

/** The parked jobs lie in the order of their end: of those that end first, the oldest. */
async function oldestAsked(redis: Redis): Promise<number | null> {
  const queue = "approvals" satisfies QueueFamily;
  const jobs = await redis.zrange(keyOf(queue, "delayed"), "0", String(QUESTIONS - 1));
  return earliest(await Promise.all(jobs.map((job) => addedAt(redis, queue, job))));
}

async function addedAt(redis: Redis, queue: string, job: string | null): Promise<number | null> {
  return job === null ? null : timeOf(await redis.hget(keyOf(queue, job), "timestamp"));
}

function keyOf(queue: string, part: string): string {
  return `${queuePrefix(queue)}:${queue}:${part}`;
}

function timeOf(text: string | null | undefined): number | null {
  const time = Number(text ?? Number.NaN);
  return Number.isFinite(time) ? time : null;
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function age(now: number, since: number | null): number {
  return since === null ? 0 : Math.max(0, now - since) / 1_000;
}

function memoryFigures(info: string): Figures {
  const field = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1] ?? 0);
  const [used, most] = [field("used_memory"), field("maxmemory")];
  return {
    airlock_redis_memory_used_bytes: one(used),
    airlock_redis_memory_share: most === 0 ? [] : one(used / most),
  };
}

function one(value: number): readonly Reading[] {
  return [{ labels: {}, value }];
}
