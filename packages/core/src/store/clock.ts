import type { Redis } from "./redis.ts";

/** Redis' own clock in milliseconds: the only one that deadlines are compared with, so that hosts may disagree. */
export async function redisNow(redis: Redis): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}
