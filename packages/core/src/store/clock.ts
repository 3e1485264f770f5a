import type { Redis } from "./redis.ts";

/** How long a reading of Redis' clock is carried on by this machine's monotonic one. */
const CARRIED_MS = 500;

interface Reading {
  readonly redisMs: number;
  readonly monotonicMs: number;
}

const readings = new WeakMap<Redis, Reading>();

/**
 * Redis' own clock in milliseconds: the only one that deadlines are compared with, so that hosts may disagree. Between two
 * readings of a connection it is carried on by the time that passed here, which no change of a wall clock touches.
 */
export async function redisNow(redis: Redis): Promise<number> {
  const last = readings.get(redis);
  const passed = last === undefined ? Number.POSITIVE_INFINITY : performance.now() - last.monotonicMs;
  if (last !== undefined && passed < CARRIED_MS) return Math.floor(last.redisMs + passed);
  const [seconds, microseconds] = await redis.time();
  // from the answer on, so that it is never ahead of Redis
  const monotonicMs = performance.now();
  const reading = { redisMs: Number(seconds) * 1_000 + Number(microseconds) / 1_000, monotonicMs };
  readings.set(redis, reading);
  return Math.floor(reading.redisMs);
}
