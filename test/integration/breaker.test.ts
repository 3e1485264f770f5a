import type { ResponseBody } from "@airlock/core/contract";
import { attemptKey } from "@airlock/core/record";
import { createRouteBreaker, readBreaker, readTurn, type RouteBreaker } from "@airlock/core/run";
import { globalKeys, readEvent, runKeys } from "@airlock/core/store";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sweep } from "../../services/validator/src/sweep/sweeper.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { createTestValidator, type TestValidator } from "../support/test-validator.ts";

const SETTINGS = { mismatches: 3, windowMs: 60_000, openMs: 60_000, probeMs: 60_000 };
const ROUTE = "gateway";

let server: RedisServer;
let breaker: RouteBreaker;

beforeAll(async () => {
  server = await startRedis();
  breaker = createRouteBreaker(server.redis, SETTINGS);
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.redis.flushall();
});

/** Breaks the contract until the route is suspended. */
async function open(): Promise<void> {
  for (const attempt of ["a", "b", "c"]) await breaker.note(ROUTE, attempt, "broken");
}

/** The time of suspension is over. */
async function waited(): Promise<void> {
  await server.redis.hset(globalKeys.breaker(ROUTE), "openUntil", 1);
}

describe("a route's breaker", () => {
  test("opens at the last allowed mismatch, once, and counts each attempt once", async () => {
    expect(await breaker.note(ROUTE, "a", "broken")).toBe("same");
    expect(await breaker.note(ROUTE, "a", "broken")).toBe("same");
    expect(await breaker.note(ROUTE, "b", "broken")).toBe("same");
    expect(await breaker.pass(ROUTE, "x")).toBe(0);
    const answers = await Promise.all(["c", "d", "e"].map((each) => breaker.note(ROUTE, each, "broken")));
    expect(answers.toSorted()).toEqual(["opened", "same", "same"]);
    expect(await breaker.pass(ROUTE, "x")).toBeGreaterThan(50_000);
    expect(await readBreaker(server.redis, ROUTE)).toMatchObject({ state: "open", mismatches: 3 });
    expect(await breaker.pass("other", "x")).toBe(0);
  });

  test("forgets mismatches that are older than its window, and takes nothing else for one", async () => {
    await breaker.note(ROUTE, "a", "broken");
    await breaker.note(ROUTE, "b", "broken");
    await server.redis.zadd(`${globalKeys.breaker(ROUTE)}:mismatches`, 1, "a", 1, "b");
    for (const [at, finding] of (["broken", "kept", "unknown", "broken"] as const).entries()) {
      expect(await breaker.note(ROUTE, `n${at}`, finding)).toBe("same");
    }
    expect(await readBreaker(server.redis, ROUTE)).toEqual({
      state: "closed",
      openUntil: null,
      mismatches: 2,
    });
  });

  test("lets one of many attempts through after its time, and that one as often as it asks", async () => {
    await open();
    await waited();
    expect(await readBreaker(server.redis, ROUTE)).toMatchObject({ state: "half_open" });
    const names = Array.from({ length: 20 }, (_, at) => `p${at}`);
    const waits = await Promise.all(names.map((name) => breaker.pass(ROUTE, name)));
    const through = names.filter((_, at) => waits[at] === 0);
    expect(through).toHaveLength(1);
    expect(await breaker.pass(ROUTE, through[0] ?? "")).toBe(0);
  });

  test("is closed by the probe's success and by no other", async () => {
    await open();
    await waited();
    await breaker.pass(ROUTE, "probe");
    expect(await breaker.note(ROUTE, "late", "kept")).toBe("same");
    expect(await breaker.note(ROUTE, "late", "broken")).toBe("same");
    expect(await breaker.pass(ROUTE, "late")).toBeGreaterThan(0);
    expect(await breaker.note(ROUTE, "probe", "kept")).toBe("closed");
    expect(await breaker.note(ROUTE, "probe", "kept")).toBe("same");
    expect(await readBreaker(server.redis, ROUTE)).toEqual({
      state: "closed",
      openUntil: null,
      mismatches: 0,
    });
  });

  test("is opened again by the probe's mismatch, and tried by the next one where the probe showed nothing", async () => {
    await open();
    await waited();
    await breaker.pass(ROUTE, "first");
    expect(await breaker.note(ROUTE, "first", "unknown")).toBe("same");
    expect(await breaker.pass(ROUTE, "second")).toBe(0);
    expect(await breaker.note(ROUTE, "second", "broken")).toBe("opened");
    expect(await breaker.pass(ROUTE, "third")).toBeGreaterThan(50_000);
  });

  test("gives the place of a probe that was never heard of again to another", async () => {
    await open();
    await waited();
    await breaker.pass(ROUTE, "lost");
    await server.redis.hset(globalKeys.breaker(ROUTE), "probeUntil", 1);
    expect(await breaker.pass(ROUTE, "next")).toBe(0);
    expect(await breaker.pass(ROUTE, "lost")).toBeGreaterThan(0);
  });
});

describe("the runs of a suspended route", () => {
  let validator: TestValidator;

  beforeAll(() => {
    validator = createTestValidator(server.redis, { name: ROUTE, family: "responses" }, breaker);
  });
  afterAll(() => validator.close());
  beforeEach(() => {
    validator.logged.length = 0;
    validator.counted.length = 0;
  });
  afterEach(() => validator.turns.obliterate({ force: true }));

  const broken = { outcome: { kind: "indeterminate", action: null }, errorClass: "EVENT_ORDER" } as const;

  async function respond(run: string, change: Partial<ResponseBody> = {}): Promise<void> {
    await validator.respond({ ...broken, run, ...change });
  }

  /** Attempts on the queue, in order. */
  async function published(): Promise<readonly string[]> {
    const jobs = await validator.turns.getJobs(["waiting", "delayed", "prioritized"]);
    return jobs.map(({ id }) => id ?? "").toSorted();
  }

  async function sweepAll(runs: readonly string[]): Promise<void> {
    for (const run of runs) await server.redis.zadd(globalKeys.open, 1, `${run}.1`);
    await sweep(validator.deps);
  }

  async function parkedEvents(run: string): Promise<number> {
    const entries = await server.redis.xrange(runKeys(run).events, "-", "+");
    return entries.filter(([, fields]) => readEvent(fields)?.type === "attempt_parked").length;
  }

  test("are parked, tried with one attempt after a while, and go on when that one succeeds", async () => {
    const runs = [await validator.submit(), await validator.submit(), await validator.submit()];
    const second = runs.map((run) => attemptKey({ run, turn: 1, attempt: 2 }));
    await validator.turns.obliterate({ force: true });
    for (const run of runs) await respond(run);
    // the third mismatch suspends the route before its own fresh attempt is published
    expect(await published()).toEqual(second.slice(0, 2).toSorted());
    expect(validator.counted.filter((line) => line.startsWith("airlock_route"))).toEqual([
      `airlock_route_breaker_total ${ROUTE} opened`,
    ]);

    await validator.turns.obliterate({ force: true });
    await sweepAll(runs);
    await sweepAll(runs);
    expect(await published()).toEqual([]);
    expect(await Promise.all(runs.map(parkedEvents))).toEqual([1, 1, 1]);
    expect(validator.logged.filter((event) => event === "attempt_parked")).toHaveLength(3);
    // looked at as often as any other open turn, however long the route stays suspended
    const soon = Date.now() + validator.deps.config.openMs;
    expect(await server.redis.zcount(globalKeys.open, Date.now(), soon)).toBe(3);

    await waited();
    await sweepAll(runs);
    const probing = await published();
    expect(probing).toHaveLength(1);
    await sweepAll(runs);
    expect(await published()).toEqual(probing);

    const probe = runs.find((run) => probing[0]?.startsWith(run)) ?? "";
    const stopped = { kind: "policy_stop", action: null } as const;
    await respond(probe, { attempt: 2, outcome: stopped, errorClass: null });
    expect(validator.logged.filter((event) => event.startsWith("route_"))).toEqual([
      "route_suspended",
      "route_resumed",
    ]);
    await sweepAll(runs.filter((run) => run !== probe));
    expect(await published()).toEqual(second.toSorted());
  });

  test("are not held back by broken connections, error statuses and dead streamers", async () => {
    const causes = ["STREAM_RESET", "HTTP_ERROR", "STREAMER_LOST", "IDLE_TIMEOUT", "TOTAL_TIMEOUT"] as const;
    for (const errorClass of causes) {
      const run = await validator.submit();
      await respond(run, { errorClass, httpStatus: errorClass === "HTTP_ERROR" ? 503 : 200 });
      expect(await readTurn(server.redis, run, 1)).toMatchObject({ attempt: 2 });
    }
    expect(await readBreaker(server.redis, ROUTE)).toEqual({
      state: "closed",
      openUntil: null,
      mismatches: 0,
    });
  });

  test("end at their deadline all the same", async () => {
    const run = await validator.submit();
    await open();
    await respond(run);
    expect(await parkedEvents(run)).toBe(1);
    await server.redis.hset(runKeys(run).run, "deadlineAt", 1);
    await sweepAll([run]);
    expect(await server.redis.hmget(runKeys(run).run, "state", "errorClass")).toEqual([
      "escalated",
      "DEADLINE_EXCEEDED",
    ]);
  });
});
