import { newRunId } from "@airlock/core/record";
import { globalKeys, runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { listRunPage, listRuns, type RunQuery } from "@airlock/operator/document";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

const ALL: RunQuery = { state: null, label: null, requestedBy: null, cursor: null, limit: 7 };

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis({ appendfsync: "everysec" });
});
afterAll(() => server.close());
beforeEach(() => server.redis.flushall());

/** Newest last; two of each pair were admitted in the same millisecond. */
async function store(count: number, fields: (at: number) => Readonly<Record<string, string>> = () => ({})) {
  const ids = Array.from({ length: count }, newRunId);
  for (const [at, id] of ids.entries()) {
    const createdAt = 1_000 + Math.floor(at / 2);
    await server.redis.zadd(globalKeys.runs, createdAt, id);
    const record = {
      state: "running",
      route: "r",
      model: "m",
      policy: "p",
      requestedBy: "ann",
      labels: "{}",
    };
    await server.redis.hset(runKeys(id).run, { ...record, createdAt: String(createdAt), ...fields(at) });
  }
  return ids;
}

async function walk(query: RunQuery) {
  const pages: (readonly string[])[] = [];
  let cursor: string | null = null;
  do {
    const page = await listRunPage(server.redis, { ...query, cursor });
    pages.push(page.runs.map(({ id }) => id));
    cursor = page.next;
  } while (cursor !== null);
  return pages;
}

test("pages tell of every run once, in the order of the index", async () => {
  await store(20);
  const pages = await walk(ALL);
  expect(pages.map(({ length }) => length)).toEqual([7, 7, 6]);
  expect(pages.flat()).toEqual(await server.redis.zrevrange(globalKeys.runs, 0, -1));
});

test("a last page that is full has no next one", async () => {
  await store(14);
  expect((await walk(ALL)).map(({ length }) => length)).toEqual([7, 7]);
});

test("what is admitted between two pages shifts nothing", async () => {
  const ids = await store(10);
  const first = await listRunPage(server.redis, ALL);
  await server.redis.zadd(globalKeys.runs, 9_999, newRunId());
  const second = await listRunPage(server.redis, { ...ALL, cursor: first.next });
  expect(new Set([...first.runs, ...second.runs].map(({ id }) => id))).toEqual(new Set(ids));
});

test("a page goes on where the run that it started from is no longer kept", async () => {
  const ids = await store(10);
  const first = await listRunPage(server.redis, { ...ALL, limit: 4 });
  await server.redis.zrem(globalKeys.runs, first.runs.at(-1)?.id ?? "");
  const second = await listRunPage(server.redis, { ...ALL, cursor: first.next });
  // of those admitted in the same millisecond it tells rather twice than never
  expect(new Set([...first.runs, ...second.runs].map(({ id }) => id))).toEqual(new Set(ids));
});

test("a run whose record is gone or unreadable keeps no other from its page", async () => {
  const ids = await store(3);
  await server.redis.del(runKeys(ids[0] ?? "").run);
  await server.redis.hset(runKeys(ids[1] ?? "").run, { state: "levitating" });
  const runs = await listRuns(server.redis, 10);
  expect(runs.map(({ id, state }) => [id, state])).toEqual([
    [ids[2], "running"],
    [ids[1], "unreadable"],
  ]);
});

test.each<readonly [string, Partial<RunQuery>, number]>([
  ["state", { state: "failed" }, 5],
  ["label", { label: { name: "team", value: "a" } }, 10],
  ["a label that every object has", { label: { name: "constructor", value: "a" } }, 0],
  ["who submitted it", { requestedBy: "bob" }, 4],
  ["all of them", { state: "failed", label: { name: "team", value: "a" }, requestedBy: "bob" }, 1],
])("a list can be held to %s", async (_, filter, expected) => {
  await store(20, (at) => ({
    state: at % 4 === 0 ? "failed" : "running",
    labels: JSON.stringify({ team: at % 2 === 0 ? "a" : "b" }),
    requestedBy: at % 5 === 0 ? "bob" : "ann",
  }));
  expect((await walk({ ...ALL, ...filter })).flat()).toHaveLength(expected);
});

test("a filter that fits nothing gives up after so many runs, and says from where to go on", async () => {
  await store(2_101);
  const page = await listRunPage(server.redis, { ...ALL, state: "failed" });
  expect(page.runs).toEqual([]);
  expect(await listRunPage(server.redis, { ...ALL, state: "failed", cursor: page.next })).toEqual({
    runs: [],
    next: null,
  });
});

test.each(["", "x", "1.2", "5.__proto__", "1.r00000000000000000000 LIMIT", "-inf.r0"])(
  "refuses the cursor %j",
  async (cursor) => {
    await expect(listRunPage(server.redis, { ...ALL, cursor })).rejects.toThrow(/cursor/);
  },
);
