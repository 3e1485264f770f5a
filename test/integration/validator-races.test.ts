import { Queue } from "bullmq";
import { createPublisher, queuePrefix, parkedJobs } from "@airlock/core/queue";
import {
  createKeyrings,
  itemKey,
  newRunId,
  sealBody,
  sha256Hex,
  signRecord,
  turnKey,
  type TurnParts,
} from "@airlock/core/record";
import {
  beatPool,
  createRouteBreaker,
  createValidatorStore,
  joinPool,
  parseRoutes,
  parseRunSpec,
  readCall,
  readConversation,
  readRun,
  readTurn,
  recountPools,
  writeSpec,
} from "@airlock/core/run";
import { loadPolicy } from "@airlock/core/policy";
import { loadPolicyProfiles } from "@airlock/core/runtime";
import { globalKeys, readEvent, runKeys } from "@airlock/core/store";
import { BUILTIN_MANIFESTS, createCatalog } from "@airlock/core/tool";
import { createJudge } from "@airlock/core/verdict";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { onCommand } from "../../services/validator/src/admission/on-command.ts";
import { readAdmitted } from "../../services/validator/src/admission/read-admitted.ts";
import type { Deps } from "../../services/validator/src/deps.ts";
import { endRun } from "../../services/validator/src/outcome/end-run.ts";
import { advanceTurn } from "../../services/validator/src/settlement/advance-turn.ts";
import { onResult } from "../../services/validator/src/settlement/on-result.ts";
import { judgeItem } from "../../services/validator/src/verdict/judge-item.ts";
import { sweep } from "../../services/validator/src/sweep/sweeper.ts";
import { ROOT } from "../support/cell.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { vouchFor } from "../support/route-trust.ts";
import { noMetrics } from "../support/no-metrics.ts";

const keyrings = createKeyrings();
const catalog = createCatalog(BUILTIN_MANIFESTS);
const never = new AbortController().signal;

let server: RedisServer;
let deps: Deps;
let executions: Queue;
let turn: TurnParts;

beforeAll(async () => {
  server = await startRedis();
  const { redis } = server;
  executions = new Queue("executions.default", {
    connection: redis,
    prefix: queuePrefix("executions.default"),
  });
  deps = {
    config: {
      routes: "",
      policies: "",
      approvers: "",
      tools: "",
      sources: ["/srv/app"],
      pools: [],
      poolLostMs: 60_000,
      sweepMs: 100,
      openMs: 100,
      grantMs: 60_000,
      decisionMs: 600_000,
      approvalMs: 1_000,
      retryMs: 100,
      breakerMismatches: 5,
      breakerWindowMs: 60_000,
      breakerOpenMs: 60_000,
      rawMs: 60_000,
      runMs: 600_000,
      metricsRedisUrl: "",
      correlationKey: "",
    },
    redis,
    keyring: keyrings.validator,
    store: createValidatorStore(redis, { keepMs: 600_000 }),
    breaker: createRouteBreaker(redis, { mismatches: 5, windowMs: 60_000, openMs: 60_000, probeMs: 60_000 }),
    publisher: createPublisher({ redis, keyring: keyrings.validator }),
    asks: parkedJobs(redis, "approvals"),
    routes: parseRoutes(
      "routes: { gateway: { family: responses, baseUrl: 'http://127.0.0.1:1', models: ['**'] } }",
      "routes.yaml",
    ),
    policies: loadPolicyProfiles(`${ROOT}/config/policies`),
    catalog,
    judge: createJudge(catalog),
    correlationKey: null,
    keepDecision: () => undefined,
    log: { write: () => undefined, decision: () => undefined },
    metrics: noMetrics(),
  };
});
afterAll(async () => {
  await deps.asks.close();
  await executions.close();
  await deps.publisher.close();
  await server.close();
});
beforeEach(async () => {
  await server.redis.flushall();
  await beatPool(server.redis, "default", { id: "test", host: "test", draining: false });
  await verifyRoute();
  turn = { run: newRunId(), turn: 1 };
  await submit(turn.run);
});
afterEach(() => executions.obliterate({ force: true }));

async function submit(run: string, change: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const spec = parseRunSpec(
    {
      route: "gateway",
      model: "m",
      instructions: "",
      input: "go",
      tools: ["write_file", "read_file"],
      policy: "ci-default",
      workspace: { source: "/srv/app", ref: "main" },
      ...change,
    },
    "test",
  );
  const { specDigest } = await writeSpec({ redis: server.redis, keyring: keyrings.client }, run, spec);
  await command({ version: 1, run, requestedBy: "t", kind: "submit", specDigest });
}

async function command(body: Parameters<typeof onCommand>[1]["body"]): Promise<void> {
  const client = createPublisher({ redis: server.redis, keyring: keyrings.client });
  const record = client.sign({ purpose: "command", body });
  await onCommand(deps, { body, record, signal: never });
}

function keyOf(ordinal: number): string {
  return itemKey({ ...turn, attempt: 1, ordinal });
}

/** A turn whose calls were judged and approved, and wait for nothing. */
async function unlocked(count: number, name = "write_file"): Promise<void> {
  const run = await readAdmitted(deps, turn.run);
  if (run === null) throw new Error("no run");
  const keys = Array.from({ length: count }, (_, at) => keyOf(at));
  for (const [ordinal, key] of keys.entries()) {
    await storeItem(ordinal, name);
    expect(await judgeItem(deps, run, key)).toMatchObject({
      state: "POLICY_APPROVED",
    });
  }
  const limits = { calls: 100, mutatingCalls: 100 };
  const stages = new Map(keys.map((key) => [key, "waiting" as const]));
  const unlocking = {
    stages,
    needs: new Map(),
    calls: count,
    mutatingCalls: count,
    limits,
    runState: "running",
  } as const;
  expect(await deps.store.unlock({ ...turn, attempt: 1 }, unlocking)).toMatchObject({ answer: "unlocked" });
}

/** What the streamer leaves behind of a call. */
async function storeItem(ordinal: number, name: string): Promise<void> {
  const args = { path: `src/${ordinal}.js`, ...(name === "write_file" ? { content: "x" } : {}) };
  const place = runKeys(turn.run).item(keyOf(ordinal));
  const content = sealBody(keyrings.streamer, { seal: "calls", place }, JSON.stringify(args));
  const body = {
    version: 1,
    run: turn.run,
    turn: 1,
    attempt: 1,
    ordinal,
    kind: "tool_call",
    callId: keyOf(ordinal),
    name,
    argumentsKind: "json",
    bytes: 1,
    state: "ITEM_TERMINAL",
    errorClass: null,
    contentDigest: sha256Hex(content),
  };
  const record = JSON.stringify(signRecord(keyrings.streamer, "item", JSON.stringify(body)));
  await server.redis.hset(place, { record });
  await server.redis.set(runKeys(turn.run).content(keyOf(ordinal)), content);
}

/** The decisions of the calls are over. */
async function decisionOver(): Promise<void> {
  await server.redis.hset(runKeys(turn.run).call(keyOf(0)), { notAfter: 1, expiresAt: 1 });
}

function verifyRoute(): Promise<void> {
  const { redis } = server;
  return vouchFor({ redis, keyrings }, { route: "gateway", family: "responses", covers: "m" });
}

function at(times: number, work: () => Promise<unknown>): Promise<unknown> {
  return Promise.all(Array.from({ length: times }, work));
}

async function result(ordinal: number, change: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const body = {
    version: 1,
    run: turn.run,
    itemKey: keyOf(ordinal),
    grant: 1,
    fence: 1,
    kind: "settled",
    state: "DENIED",
    status: "refused",
    errorClass: "SANDBOX_UNAVAILABLE",
    contentDigest: null,
    resultBytes: 0,
    durationMs: 0,
    ...change,
  } as Parameters<typeof onResult>[1]["body"];
  const executor = createPublisher({ redis: server.redis, keyring: keyrings.executor });
  const record = executor.sign({ purpose: "result", body });
  await onResult(deps, { body, record, signal: never });
}

const regrant = { kind: "regrant", errorClass: "GRANT_EXPIRED" } as const;
async function sendRegrant(grant: number): Promise<void> {
  const body = { version: 1, run: turn.run, itemKey: keyOf(0), grant, fence: 0, ...regrant } as const;
  const executor = createPublisher({ redis: server.redis, keyring: keyrings.executor });
  const record = executor.sign({ purpose: "result", body });
  await onResult(deps, { body, record, signal: never });
}

describe("the pool of a run", () => {
  const member = { host: "test", draining: false };
  const poolOfRun = async () => (await readRun(server.redis, turn.run))?.pool;
  const events = async () =>
    (await server.redis.xrange(runKeys(turn.run).events, "-", "+")).flatMap(([, fields]) => {
      const event = readEvent(fields);
      return event === null ? [] : [event];
    });

  test("is chosen at its first call, once by many handlers: the live one with the fewest runs", async () => {
    const { redis } = server;
    await beatPool(redis, "busy", { id: "a", ...member });
    await beatPool(redis, "calm", { id: "b", ...member });
    await beatPool(redis, "a-leaving", { id: "c", host: "test", draining: true });
    await redis.hset(globalKeys.pool("a-gone"), "executor:d", JSON.stringify({ ...member, seenAt: 1 }));
    await redis.sadd(globalKeys.pools, "a-gone", "an-empty-one");
    for (const pool of ["busy", "default"]) {
      const other = newRunId();
      await redis.hset(runKeys(other).run, "state", "running");
      await joinPool(redis, other, pool);
    }
    expect(await poolOfRun()).toBeUndefined();
    await unlocked(3);
    await at(10, () => advanceTurn(deps, turn));
    expect(await poolOfRun()).toBe("calm");
    expect(await redis.smembers(globalKeys.poolRuns("calm"))).toEqual([turn.run]);
    expect((await events()).filter(({ type }) => type === "run_bound")).toEqual([
      { type: "run_bound", pool: "calm" },
    ]);
    const calm = new Queue("executions.calm", { connection: redis, prefix: queuePrefix("executions.calm") });
    expect(await calm.getJobCountByTypes("waiting", "prioritized")).toBe(3);
    await calm.close();
    await endRun(deps, turn, { state: "escalated", errorClass: "DEADLINE_EXCEEDED" });
    expect(await redis.scard(globalKeys.poolRuns("calm"))).toBe(0);
  });

  test("is waited for where none lives or none is allowed, told of once, and then bound", async () => {
    await server.redis.del(globalKeys.pools);
    await beatPool(server.redis, "foreign", { id: "a", ...member });
    await unlocked(1);
    const limited = { ...deps, config: { ...deps.config, pools: ["own"] } };
    await at(3, () => advanceTurn(limited, turn));
    expect(await poolOfRun()).toBeUndefined();
    expect(await readCall(server.redis, keyOf(0))).toMatchObject({ state: "POLICY_APPROVED", grant: 0 });
    expect((await events()).filter(({ type }) => type === "pool_awaited")).toHaveLength(1);
    await beatPool(server.redis, "own", { id: "b", ...member });
    await advanceTurn(limited, turn);
    expect(await poolOfRun()).toBe("own");
  });

  test("is never changed: where it falls silent for too long, the run ends and says so", async () => {
    await unlocked(1);
    await advanceTurn(deps, turn);
    await beatPool(server.redis, "other", { id: "b", ...member });
    await server.redis.zadd(globalKeys.open, 0, turnKey(turn));
    await sweep(deps);
    expect(await readRun(server.redis, turn.run)).toMatchObject({ pool: "default", state: "running" });
    const seenAt = Date.now() - 61_000;
    await server.redis.hset(
      globalKeys.pool("default"),
      "executor:test",
      JSON.stringify({ ...member, seenAt }),
    );
    await server.redis.hset(runKeys(turn.run).run, "poolBoundAt", seenAt);
    await server.redis.zadd(globalKeys.open, 0, turnKey(turn));
    await sweep(deps);
    expect(await readRun(server.redis, turn.run)).toMatchObject({
      pool: "default",
      state: "escalated",
      errorClass: "POOL_LOST",
      detail: expect.stringContaining("pool default has had no executor for") as string,
    });
  });

  test("counts are mended: runs that ended or are forgotten leave it", async () => {
    await joinPool(server.redis, newRunId(), "default");
    await unlocked(1);
    await advanceTurn(deps, turn);
    expect(await server.redis.scard(globalKeys.poolRuns("default"))).toBe(2);
    await recountPools(server.redis);
    expect(await server.redis.smembers(globalKeys.poolRuns("default"))).toEqual([turn.run]);
  });
});

describe("a free call", () => {
  test("is granted once by many handlers at once, and none of them takes it for expired", async () => {
    await unlocked(3);
    await at(10, () => advanceTurn(deps, turn));
    for (const ordinal of [0, 1, 2]) {
      const call = await readCall(server.redis, keyOf(ordinal));
      expect([call?.grant, call?.settled]).toEqual([1, undefined]);
    }
    expect(await executions.getJobCountByTypes("waiting", "prioritized")).toBe(3);
    expect(await readTurn(server.redis, turn.run, 1)).toMatchObject({ state: "calls" });
  });

  test("whose decision is over expires once, and the turn goes on", async () => {
    await unlocked(1);
    await decisionOver();
    await at(5, () => advanceTurn(deps, turn));
    expect(await readCall(server.redis, keyOf(0))).toMatchObject({ settled: "EXPIRED", grant: 0 });
    expect(await readTurn(server.redis, turn.run, 2)).toMatchObject({ state: "streaming" });
    expect(await readTurn(server.redis, turn.run, 3)).toBeNull();
  });

  test("is granted, or cancelled with its run, but never both", async () => {
    for (let round = 0; round < 10; round += 1) {
      turn = { run: newRunId(), turn: 1 };
      await submit(turn.run);
      await unlocked(1);
      const end = { state: "escalated", errorClass: "DEADLINE_EXCEEDED" } as const;
      await Promise.all([advanceTurn(deps, turn), endRun(deps, turn, end)]);
      const call = await readCall(server.redis, keyOf(0));
      expect([call?.grant, call?.settled]).toEqual(call?.grant === 0 ? [0, "CANCELLED"] : [1, undefined]);
    }
  });
});

test("a call whose arguments were edited while it waited is refused, and the turn goes on", async () => {
  await unlocked(2);
  const keys = runKeys(turn.run);
  await server.redis.copy(keys.item(keyOf(1)), keys.item(keyOf(0)), "REPLACE");
  await advanceTurn(deps, turn);
  const denied = { settled: "DENIED", errorClass: "POLICY_CHANGED", grant: 0 };
  expect(await readCall(server.redis, keyOf(0))).toMatchObject(denied);
  expect(await readCall(server.redis, keyOf(1))).toMatchObject({ grant: 1 });
});

test("a call that is granted under a reloaded policy keeps the decision that its grant names", async () => {
  await unlocked(1);
  const text = `apiVersion: airlock.policy/v1\nmode: enforce\npaths: { write: { allow: ["**"] } }\nrules: [{ id: later, decision: flag, tool: write_file }]\n`;
  const enforced = loadPolicy({ name: "ci-default", text });
  const policies = new Map([["ci-default", { enforced, shadow: null }]]);
  const before = await readCall(server.redis, keyOf(0));
  await advanceTurn({ ...deps, policies }, turn);
  const { grantRecord = "{}", ...call } = (await readCall(server.redis, keyOf(0))) ?? {};
  const grant = JSON.parse((JSON.parse(grantRecord) as { body: string }).body) as unknown;
  expect(grant).toMatchObject({ policyDigest: enforced.digest, notAfter: before?.notAfter });
  expect(call).toMatchObject({
    grant: 1,
    decision: "flag",
    rule: "later",
    rules: ["later"],
    detail: "rule later decides flag",
    policyDigest: enforced.digest,
    policyDecision: { winning: "later", policyDigest: enforced.digest },
    notAfter: before?.notAfter,
  });
});

test("a grant names what was signed, whatever stands in the call's record", async () => {
  await unlocked(1);
  await server.redis.hset(runKeys(turn.run).call(keyOf(0)), {
    tool: "run_command",
    argumentsDigest: "0",
    effect: "read",
  });
  await advanceTurn(deps, turn);
  const grant = JSON.parse((await readCall(server.redis, keyOf(0)))?.grantRecord ?? "{}") as { body: string };
  expect(JSON.parse(grant.body)).toMatchObject({
    tool: "write_file",
    effect: "mutating",
    policy: "ci-default",
  });
});

test.each<[string, Readonly<Record<string, unknown>>]>([
  ["policy", { policy: "read-only" }],
  ["model", { model: "n" }],
  ["workspace", { plan: { workspace: { source: "/srv/app", ref: "other" } } }],
  ["tools", { plan: { tools: [] } }],
])("nothing is granted in a run whose record says another %s than was submitted", async (_, change) => {
  await unlocked(1);
  const run = await readRun(server.redis, turn.run);
  const { plan, ...fields } = change;
  const edited = { ...fields, plan: JSON.stringify({ ...run?.plan, ...(plan as object | undefined) }) };
  await server.redis.hset(runKeys(turn.run).run, edited as Record<string, string>);
  await expect(advanceTurn(deps, turn)).rejects.toThrow(/not the one that was submitted/);
  expect(await readCall(server.redis, keyOf(0))).toMatchObject({ grant: 0 });
});

describe("a call to be granted anew", () => {
  test("stays alive when the same word arrives several times", async () => {
    await unlocked(1);
    await advanceTurn(deps, turn);
    await at(6, () => sendRegrant(1));
    const call = await readCall(server.redis, keyOf(0));
    expect([call?.grant, call?.settled]).toEqual([2, undefined]);
    expect(await readTurn(server.redis, turn.run, 1)).toMatchObject({ state: "calls" });
  });

  test("expires where its decision is over", async () => {
    await unlocked(1);
    await advanceTurn(deps, turn);
    await decisionOver();
    await at(3, () => sendRegrant(1));
    expect(await readCall(server.redis, keyOf(0))).toMatchObject({ settled: "EXPIRED", grant: 1 });
  });

  test("is not, where the word is about an older grant or a later one", async () => {
    await unlocked(1);
    await advanceTurn(deps, turn);
    await sendRegrant(1);
    await sendRegrant(1);
    await sendRegrant(7);
    expect(await readCall(server.redis, keyOf(0))).toMatchObject({ grant: 2 });
  });
});

describe("results that arrive together", () => {
  test("settle the turn once, each call once, and open one next turn", async () => {
    await unlocked(4);
    await advanceTurn(deps, turn);
    await Promise.all([0, 1, 2, 3, 0, 1, 2, 3].map((ordinal) => result(ordinal)));
    expect(await readTurn(server.redis, turn.run, 1)).toMatchObject({ state: "closed" });
    expect(await readTurn(server.redis, turn.run, 2)).toMatchObject({ state: "streaming", attempt: 1 });
    const entries = await readConversation(deps, turn.run);
    const told = entries.flatMap((entry) => (entry.type === "call_result" ? [entry.itemKey] : []));
    expect(told).toEqual([0, 1, 2, 3].map(keyOf));
  });

  test("of a grant that was never given change nothing", async () => {
    await unlocked(1);
    await result(0, { grant: 1 });
    expect((await readCall(server.redis, keyOf(0)))?.settled).toBeUndefined();
  });
});

describe("an outcome that nobody saw", () => {
  const unknown = { state: "OUTCOME_UNKNOWN", status: "unknown", errorClass: "OUTCOME_UNKNOWN" };

  test("of a mutating call holds up none of its siblings, and the run goes on once all are settled", async () => {
    await unlocked(2);
    await advanceTurn(deps, turn);
    await result(0, unknown);
    expect(await readRun(server.redis, turn.run)).toMatchObject({ state: "running", turn: 1 });
    await advanceTurn(deps, turn);
    await result(1);
    expect(await readRun(server.redis, turn.run)).toMatchObject({ state: "running", turn: 2 });
    const told = (await readConversation(deps, turn.run)).filter(({ type }) => type === "call_result");
    expect(told).toHaveLength(2);
    expect(JSON.stringify(told[0])).toContain("Nobody knows whether it ran");
    expect(JSON.stringify(told[0])).not.toContain("did not run");
  });

  test.each(["completed", "escalated"] as const)(
    "is told of by a run that ends %s as one that nobody can call finished",
    async (state) => {
      await server.redis.sadd(runKeys(turn.run).unknown, keyOf(0));
      const artifact = { kind: "text", content: "done" };
      await endRun(deps, turn, { state, errorClass: null, ...(state === "completed" ? { artifact } : {}) });
      const run = await readRun(server.redis, turn.run);
      expect(run?.state).toBe(state === "completed" ? "outcome_unknown" : state);
      expect(run?.artifactKind).toBe(state === "completed" ? "text" : undefined);
      const partial = await server.redis.exists(runKeys(turn.run).partial);
      expect(partial).toBe(state === "completed" ? 0 : 1);
    },
  );

  test("of a read is told to the model, and the run goes on", async () => {
    await unlocked(1, "read_file");
    await advanceTurn(deps, turn);
    await result(0, unknown);
    expect(await readRun(server.redis, turn.run)).toMatchObject({ state: "running", turn: 2 });
    expect(await readConversation(deps, turn.run)).toContainEqual(
      expect.objectContaining({ type: "call_result", content: expect.stringContaining("OUTCOME_UNKNOWN") }),
    );
  });
});

describe("the sweeper", () => {
  test("publishes what lost its job: a turn, and a grant", async () => {
    const turns = new Queue("turns", { connection: server.redis, prefix: queuePrefix("turns") });
    await turns.obliterate({ force: true });
    await server.redis.zadd(globalKeys.open, 1, `${turn.run}.1`);
    await sweep(deps);
    expect(await turns.getJob(`${turn.run}.1.1`)).toBeDefined();
    await unlocked(1);
    await advanceTurn(deps, turn);
    await executions.obliterate({ force: true });
    await server.redis.zadd(globalKeys.open, 1, `${turn.run}.1`);
    await sweep(deps);
    expect(await executions.getJob(`${keyOf(0)}.1`)).toBeDefined();
    await turns.obliterate({ force: true });
    await turns.close();
  });

  test("publishes a grant whose decision is over as well, so that the executor can end the call", async () => {
    await unlocked(1);
    await advanceTurn(deps, turn);
    await executions.obliterate({ force: true });
    await decisionOver();
    await server.redis.zadd(globalKeys.open, 1, `${turn.run}.1`);
    await sweep(deps);
    expect(await executions.getJob(`${keyOf(0)}.1`)).toBeDefined();
    expect(await readCall(server.redis, keyOf(0))).toMatchObject({ grant: 1 });
  });

  test("watches over an ended run's calls that an executor may hold, until the end of each is told", async () => {
    await unlocked(1);
    await advanceTurn(deps, turn);
    await endRun(deps, turn, { state: "escalated", errorClass: "DEADLINE_EXCEEDED" });
    await executions.obliterate({ force: true });
    await server.redis.zadd(globalKeys.open, 1, `${turn.run}.1`);
    await sweep(deps);
    expect(await executions.getJob(`${keyOf(0)}.1`)).toBeDefined();
    await result(0);
    await server.redis.zadd(globalKeys.open, 1, `${turn.run}.1`);
    await sweep(deps);
    expect(await server.redis.zscore(globalKeys.open, `${turn.run}.1`)).toBeNull();
  });

  test("is not kept from other runs by one whose record can't be read", async () => {
    const broken = newRunId();
    await submit(broken);
    await server.redis.hset(runKeys(broken).run, "state", "exploded");
    const turns = new Queue("turns", { connection: server.redis, prefix: queuePrefix("turns") });
    await turns.obliterate({ force: true });
    await server.redis.zadd(globalKeys.open, 1, `${broken}.1`, 2, `${turn.run}.1`);
    await sweep(deps);
    expect(await turns.getJob(`${turn.run}.1.1`)).toBeDefined();
    expect(Number(await server.redis.zscore(globalKeys.open, `${broken}.1`))).toBeGreaterThan(2);
    await turns.obliterate({ force: true });
    await turns.close();
  });

  test("ends a run past its deadline, and forgets what is over or never was", async () => {
    await server.redis.hset(runKeys(turn.run).run, "deadlineAt", 1);
    for (const member of [`${turn.run}.1`, "nonsense", `${newRunId()}.1`]) {
      await server.redis.zadd(globalKeys.open, 1, member);
    }
    await sweep(deps);
    expect(await readRun(server.redis, turn.run)).toMatchObject({
      state: "escalated",
      errorClass: "DEADLINE_EXCEEDED",
    });
    expect(await server.redis.zcard(globalKeys.open)).toBe(0);
  });
});

test("a cancel of an ended contract run does not write its report anew over a later one", async () => {
  const run = newRunId();
  await submit(run, { contract: "text", tools: [], workspace: undefined });
  const first = { run, turn: 1 };
  await endRun(deps, first, { state: "completed", errorClass: null });
  const key = globalKeys.report("gateway");
  const [field = ""] = await server.redis.hkeys(key);
  await server.redis.hset(key, field, "a later report");
  await command({ version: 1, run, requestedBy: "t", kind: "cancel", reason: "" });
  expect(await server.redis.hget(key, field)).toBe("a later report");
});
