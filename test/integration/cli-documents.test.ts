import { createRouteBreaker, readRun } from "@airlock/core/run";
import { globalKeys, runKeys } from "@airlock/core/store";
import { INDETERMINATE } from "@airlock/core/wire";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { listRoutes, listRuns, readRunDocument } from "../../packages/cli/src/document/index.ts";
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
  ["holds a plan that is no JSON", { plan: "{" }],
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
