import { createRouteBreaker, readRun, writeRunDiff } from "@airlock/core/run";
import { globalKeys, runKeys } from "@airlock/core/store";
import { INDETERMINATE } from "@airlock/core/wire";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { listRoutes, listRuns, readDiffDocument, readRunDocument } from "@airlock/operator/document";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { createTestValidator, type TestValidator } from "../support/test-validator.ts";

const CUT = { outcome: INDETERMINATE, errorClass: "STREAM_TRUNCATED" } as const;

let server: RedisServer;
let validator: TestValidator;

beforeAll(async () => {
  server = await startRedis();
  const patient = { mismatches: 1_000, windowMs: 1_000, openMs: 1_000, probeMs: 1_000 };
  const breaker = createRouteBreaker(server.redis, patient);
  validator = createTestValidator(server.redis, { name: "r", family: "responses" }, breaker);
});
afterAll(async () => {
  await validator.close();
  await server.close();
});
beforeEach(() => server.redis.flushall());

test.each([
  ["has no form that this build knows", { state: "levitating" }],
  ["holds labels that are no JSON", { labels: "{" }],
])("the list of runs tells of one whose record %s, and of all others", async (_, broken) => {
  const bad = await validator.submit();
  const good = await validator.submit();
  await server.redis.hset(runKeys(bad).run, broken);
  const runs = await listRuns(server.redis, 10);
  expect(runs.find(({ id }) => id === good)).toMatchObject({ state: "running", reason: null });
  expect(runs.find(({ id }) => id === bad)).toEqual({
    id: bad,
    state: "unreadable",
    route: "-",
    model: "-",
    turn: 0,
    pool: null,
    requestedBy: null,
    labels: {},
    createdAt: null,
    endedAt: null,
    reason: expect.stringMatching(/^SCHEMA_VERSION: /),
  });
});

test("the list of routes leaves out a report that is none", async () => {
  await server.redis.hset(globalKeys.report("r"), { a: "{", b: "{}" });
  const place = { redis: server.redis, keyring: validator.keyrings.client };
  expect(await listRoutes(place, validator.deps.routes)).toMatchObject([{ name: "r", reports: [] }]);
});

test("a diff that isn't there says why: not yet, nothing to change, or never any more", async () => {
  const place = { redis: server.redis, keyring: validator.keyrings.client };
  const workspace = { source: "/srv/app", ref: "main" };
  const [bare, run] = [await validator.submit(), await validator.submit({ workspace })];
  const diff = async (id: string) => {
    const { status, why } = await readDiffDocument(place, id);
    return `${status}: ${why}`;
  };
  expect(await diff(run)).toBe("not_yet: the run is running; its diff is taken at its end");
  for (const id of [bare, run]) {
    await server.redis.hset(runKeys(id).run, {
      state: "escalated",
      endedAt: 5,
      keepUntil: Date.now() + 60_000,
    });
  }
  expect(await diff(bare)).toBe("none: the run has no workspace");
  expect(await diff(run)).toBe("none: no call of the run came to an executor");
  await server.redis.hset(runKeys(run).run, { pool: "a" });
  expect(await diff(run)).toBe("not_yet: no executor of pool a has taken it yet");
  await server.redis.hset(runKeys(run).run, { errorClass: "POOL_LOST" });
  expect(await diff(run)).toBe("gone: pool a is gone, and the run's workspace with it");
  const nothing = {
    files: [],
    filesTotal: 0,
    text: "",
    textBytes: 0,
    ignored: [],
    ignoredTotal: 0,
    prepared: [],
  };
  const taken = {
    version: 1,
    endedAt: 5,
    baseRevision: null,
    ...nothing,
    problems: [],
    branch: null,
  } as const;
  const executor = { redis: server.redis, keyring: validator.keyrings.executor };
  await writeRunDiff(executor, run, taken);
  expect(await readDiffDocument(place, run)).toMatchObject({ status: "taken", pool: "a", diff: taken });
  await server.redis.hset(runKeys(run).run, { endedAt: 9 });
  expect(await diff(run)).toContain("gone: ");
  await server.redis.hset(runKeys(run).run, { endedAt: 5 });
  await server.redis.set(
    runKeys(run).diff,
    (await server.redis.get(runKeys(run).diff))?.replace(/.$/, "A") ?? "",
  );
  await server.redis.set(runKeys(bare).diff, (await server.redis.get(runKeys(run).diff)) ?? "");
  await expect(readDiffDocument(place, bare)).rejects.toMatchObject({ code: "SEAL_INVALID" });
});

test("a run that ended short tells when its last text is not kept any more", async () => {
  const run = await validator.submit({ limits: { attempts: 1 } });
  const place = { redis: server.redis, keyring: validator.keyrings.client };
  const partial = async () => (await readRunDocument(place, run)).partial;
  expect(await partial()).toBeNull();
  await validator.respond({ run, ...CUT });
  expect(await readRun(server.redis, run)).toMatchObject({ state: "escalated" });
  expect(await partial()).toEqual({ executed: [], text: null, textGone: false });
  await server.redis.del(runKeys(run).partial);
  expect(await partial()).toEqual({ executed: [], text: null, textGone: true });
});
