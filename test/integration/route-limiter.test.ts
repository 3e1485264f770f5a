import { createRouteLimiter } from "@airlock/core/run";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis();
});

afterAll(() => server.close());

beforeEach(async () => {
  await server.redis.flushall();
});

const UNLIMITED = { concurrency: null, requestsPerMinute: null };

test("a route without limits gives every slot at once", async () => {
  const limiter = createRouteLimiter(server.redis);
  const waits = await Promise.all(
    Array.from({ length: 50 }, (_, at) => limiter.take("r", `s${at}`, UNLIMITED)),
  );
  expect(new Set(waits)).toEqual(new Set([0]));
});

test("a route without limits has nothing counted, and waits all the same where it was asked to", async () => {
  const limiter = createRouteLimiter(server.redis);
  expect(await limiter.take("r", "a", UNLIMITED)).toBe(0);
  expect(await server.redis.keys("*")).toEqual([]);
  await limiter.backOff("r", 30_000);
  expect(await limiter.take("r", "b", UNLIMITED)).toBeGreaterThan(0);
});

test("all streamers together hold no more slots than the route has, and a released one is given again", async () => {
  const first = createRouteLimiter(server.redis);
  const second = createRouteLimiter(server.redis);
  const limits = { concurrency: 3, requestsPerMinute: null };
  const waits = await Promise.all(
    Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? first : second).take("r", `s${at}`, limits)),
  );
  const taken = waits.flatMap((wait, at) => (wait === 0 ? [`s${at}`] : []));
  expect(taken).toHaveLength(3);
  expect(waits.filter((wait) => wait > 0).every((wait) => wait >= 50 && wait <= 500)).toBe(true);
  await first.release("r", taken[0] ?? "");
  expect(await second.take("r", "next", limits)).toBe(0);
  expect(await second.take("other", "next", limits)).toBe(0);
});

test("no more requests start in a minute than the route allows, whether or not their slots are free again", async () => {
  const limiter = createRouteLimiter(server.redis);
  const limits = { concurrency: null, requestsPerMinute: 2 };
  expect(await limiter.take("r", "a", limits)).toBe(0);
  expect(await limiter.take("r", "b", limits)).toBe(0);
  await limiter.release("r", "a");
  const wait = await limiter.take("r", "c", limits);
  expect(wait).toBeGreaterThan(50_000);
  expect(wait).toBeLessThanOrEqual(60_000);
});

test("after a refusal nobody sends for a while, which doubles until a request goes through", async () => {
  const limiter = createRouteLimiter(server.redis);
  const other = createRouteLimiter(server.redis);
  expect(await limiter.backOff("r", null)).toBe(1_000);
  expect(await other.take("r", "a", UNLIMITED)).toBeGreaterThan(0);
  expect(await other.backOff("r", null)).toBe(2_000);
  expect(await limiter.backOff("r", 30_000)).toBe(30_000);
  await other.recover("r");
  expect(await limiter.backOff("r", null)).toBe(1_000);
  expect(await other.take("r", "a", UNLIMITED)).toBeGreaterThan(28_000);
});

test("a slot whose streamer died is free again when its lease ends, unless somebody keeps it", async () => {
  const limiter = createRouteLimiter(server.redis);
  const limits = { concurrency: 1, requestsPerMinute: null };
  expect(await limiter.take("r", "dead", limits)).toBe(0);
  await server.redis.zadd("airlock:route:{r}:limit:slots", 1, "dead");
  expect(await limiter.take("r", "alive", limits)).toBe(0);
  await limiter.keep("r", "dead");
  expect(await server.redis.zscore("airlock:route:{r}:limit:slots", "dead")).toBeNull();
  await limiter.keep("r", "alive");
  expect(await limiter.take("r", "third", limits)).toBeGreaterThan(0);
});
