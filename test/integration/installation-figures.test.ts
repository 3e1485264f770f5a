import { queuePrefix } from "@airlock/core/queue";
import { createMetrics, showInstallation } from "@airlock/core/runtime";
import { globalKeys } from "@airlock/core/store";
import { Queue, Worker } from "bullmq";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { recordCommands } from "../support/sinks.ts";

let server: RedisServer;
const opened: Queue[] = [];

function queueOf(name: string): Queue {
  const queue = new Queue(name, { connection: server.redis, prefix: queuePrefix(name) });
  queue.on("error", () => undefined); // the test takes Redis away
  opened.push(queue);
  return queue;
}

beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => {
  await Promise.all(opened.map((queue) => queue.close()));
  await server.close();
});

/** What a fresh validator tells, as `name{labels}` and value. */
async function scrape(): Promise<ReadonlyMap<string, number>> {
  const metrics = createMetrics("validator");
  showInstallation(server.redis, metrics);
  const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("airlock_"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      const name = line
        .slice(0, at)
        .replace(/,?service="validator"/, "")
        .replace("{}", "");
      return [name, Number(line.slice(at + 1))] as const;
    }),
  );
}

test("the figures are those of the queues, the lists and Redis itself, with a hostile pool left out", async () => {
  await server.redis.sadd(globalKeys.pools, "default", 'x",evil="1', "-".repeat(40));
  await server.redis.config("SET", "maxmemory", "1gb");
  const items = queueOf("items");
  const hourAgo = Date.now() - 3_600_000;
  await items.add("item", {}, { jobId: "a", timestamp: hourAgo });
  await items.add("item", {}, { jobId: "b" });
  await items.add("item", {}, { jobId: "c", priority: 3, timestamp: hourAgo - 3_600_000 });
  await items.add("item", {}, { jobId: "d", delay: 600_000 });
  const executions = queueOf("executions.default");
  await executions.add("execution", {}, { jobId: "e" });
  const worker = new Worker("executions.default", null, {
    connection: server.redis,
    prefix: queuePrefix("executions.default"),
  });
  await worker.getNextJob("token");
  await worker.close();
  await queueOf("approvals").add("ask", {}, { jobId: "q", delay: 900_000, timestamp: Date.now() - 120_000 });
  await server.redis.zadd(globalKeys.approvals, Date.now() + 900_000, "item-q");
  await server.redis.zadd(globalKeys.unknowns, Date.now() - 600_000, "u1", Date.now(), "u2");

  const told = await scrape();
  const jobs = async (queue: Queue) => {
    const counts = await queue.getJobCounts("wait", "prioritized", "delayed", "active");
    return [counts["wait"], counts["prioritized"], counts["delayed"], counts["active"]];
  };
  const shown = (queue: string) =>
    ["waiting", "prioritized", "delayed", "active"].map((state) =>
      told.get(`airlock_queue_jobs{queue="${queue}",state="${state}"}`),
    );
  expect(shown("items")).toEqual([2, 1, 1, 0]);
  expect(shown("items")).toEqual(await jobs(items));
  expect(shown("executions.default")).toEqual([0, 0, 0, 1]);
  expect(shown("executions.default")).toEqual(await jobs(executions));
  expect(told.get('airlock_queue_oldest_seconds{queue="items"}')).toBeGreaterThanOrEqual(7_200);
  expect(told.get('airlock_queue_oldest_seconds{queue="turns"}')).toBe(0);
  expect(told.get("airlock_approvals_pending")).toBe(1);
  expect(told.get("airlock_approvals_oldest_seconds")).toBeGreaterThanOrEqual(120);
  expect(told.get("airlock_approvals_oldest_seconds")).toBeLessThan(1_000);
  expect(told.get("airlock_unknown_calls")).toBe(2);
  expect(told.get("airlock_unknown_oldest_seconds")).toBeGreaterThanOrEqual(600);
  const used = told.get("airlock_redis_memory_used_bytes") ?? 0;
  expect(told.get("airlock_redis_memory_share")).toBeCloseTo(used / 2 ** 30, 9);
  expect(told.get("airlock_installation_read")).toBe(1);
  expect([...told.keys()].filter((name) => name.includes("evil") || name.includes("other"))).toEqual([]);
  await server.redis.config("SET", "maxmemory", "0");
  expect((await scrape()).has("airlock_redis_memory_share")).toBe(false);
});

test("a scrape costs the same however much is queued, and goes through no list", async () => {
  const cost = async (): Promise<readonly string[]> => {
    const recorded = await recordCommands(server.redis);
    const { lines } = recorded;
    await scrape();
    await server.redis.echo("scraped");
    await expect.poll(() => lines.some((line) => line.includes('"scraped"')), { timeout: 20_000 }).toBe(true);
    recorded.stop();
    const names = lines.map((line) => /\] "(\w+)"/.exec(line)?.[1]?.toLowerCase() ?? "");
    return names.filter((name) => name !== "" && name !== "echo");
  };
  const turns = queueOf("turns");
  await turns.waitUntilReady();
  await turns.add("turn", {});
  await turns.drain();
  const before = await cost();
  await turns.addBulk(Array.from({ length: 500 }, (_, at) => ({ name: "turn", data: { at } })));
  const after = await cost();
  // one look at the job that is next, now that there is one
  expect(after.length - before.length).toBeLessThanOrEqual(1);
  expect(after.length).toBeLessThan(100);
  expect(after.filter((name) => /scan|keys|hgetall|lrange/.test(name))).toEqual([]);
});

test("scrapes at once share one reading, and a Redis that is gone costs the figures alone", async () => {
  const metrics = createMetrics("validator");
  showInstallation(server.redis, metrics);
  const recorded = await recordCommands(server.redis);
  const { lines } = recorded;
  await Promise.all([metrics.text(), metrics.text(), metrics.text()]);
  await server.redis.echo("scraped");
  await expect.poll(() => lines.some((line) => line.includes('"scraped"')), { timeout: 20_000 }).toBe(true);
  recorded.stop();
  expect(lines.filter((line) => /"info" "memory"/i.test(line))).toHaveLength(1);

  await server.kill();
  const told = await scrape();
  expect(told.get("airlock_installation_read")).toBe(0);
  expect(
    [...told.keys()].filter(
      (name) => /queue|approvals|unknown|memory/.test(name) && !name.includes("_total"),
    ),
  ).toEqual([]);
  await server.start();
  await expect
    .poll(async () => (await scrape()).get("airlock_installation_read"), { timeout: 30_000 })
    .toBe(1);
});
