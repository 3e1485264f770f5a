import { setTimeout as sleep } from "node:timers/promises";
import { sendCancel, sendEnded, watchSignals } from "@airlock/core/queue";
import { globalKeys } from "@airlock/core/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

const WATCHERS = 6;
/** Far above what it takes; a watcher that polls or misses its wake-up needs seconds. */
const GENEROUS_MS = 2_000;

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.close());

function watchers(signal: AbortSignal) {
  const heard: string[][] = Array.from({ length: WATCHERS }, () => []);
  const done = heard.map((words) =>
    watchSignals(
      { redis: server.redis, signal },
      { cancel: (run) => words.push(`cancel ${run}`), ended: (run) => words.push(`ended ${run}`) },
    ),
  );
  return { heard, done };
}

async function allHear(heard: readonly (readonly string[])[], count: number): Promise<number> {
  const asked = performance.now();
  while (heard.some((words) => words.length < count)) {
    if (performance.now() - asked > 20_000) throw new Error(`heard ${JSON.stringify(heard)}`);
    await sleep(1);
  }
  return performance.now() - asked;
}

async function watching(): Promise<void> {
  const blocked = async () => /blocked_clients:(\d+)/.exec(await server.redis.info("clients"))?.[1];
  while (Number(await blocked()) < WATCHERS) await sleep(5);
}

test("every process hears each signal once, in order, at once, and others that it doesn't know do no harm", async () => {
  const stop = new AbortController();
  const { heard, done } = watchers(stop.signal);
  await watching();
  await sendCancel(server.redis, "r1");
  expect(await allHear(heard, 1)).toBeLessThan(GENEROUS_MS);
  await server.redis.xadd(globalKeys.control, "*", "unheard", "of");
  await server.redis.xadd(globalKeys.control, "*", "constructor", "r");
  await sendEnded(server.redis, "r1");
  await sendCancel(server.redis, "r2");
  await allHear(heard, 3);
  stop.abort();
  await Promise.all(done);
  expect(heard).toEqual(Array.from({ length: WATCHERS }, () => ["cancel r1", "ended r1", "cancel r2"]));
});

test("a watcher that lost Redis for a while hears what comes afterwards", async () => {
  const stop = new AbortController();
  const { heard, done } = watchers(stop.signal);
  await watching();
  await server.kill();
  await server.start();
  await sendCancel(server.redis, "r3");
  await allHear(heard, 1);
  stop.abort();
  await Promise.all(done);
  expect(new Set(heard.flat())).toEqual(new Set(["cancel r3"]));
});
