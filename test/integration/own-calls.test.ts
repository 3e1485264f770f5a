import { Queue } from "bullmq";
import { loadPolicy } from "@airlock/core/policy";
import { queuePrefix } from "@airlock/core/queue";
import { ownCallKey, turnKey } from "@airlock/core/record";
import { createLedger } from "@airlock/core/ledger";
import { createRouteBreaker, readCall, readRun, readTurn } from "@airlock/core/run";
import { globalKeys, runKeys } from "@airlock/core/store";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { advanceTurn } from "../../services/validator/src/settlement/advance-turn.ts";
import { sweep } from "../../services/validator/src/sweep/sweeper.ts";
import { allKeys, runFamilies } from "../support/keys.ts";
import { openTurns, type Opening, type Played } from "../support/play-turns.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { createTestValidator, type TestValidator } from "../support/test-validator.ts";
import type { CaseResponse, TurnStep } from "../support/turn-case.ts";

const PATCH = "--- a/src/a.js\n+++ b/src/a.js\n@@ -1 +1 @@\n-a\n+b\n";
const PATIENT = { mismatches: 100, windowMs: 60_000, openMs: 60_000, probeMs: 60_000 };
const response: CaseResponse = {
  outcome: "candidate_complete",
  items: [{ message: PATCH }],
  errorClass: null,
  outputTokens: 1,
  httpStatus: 200,
  stopSequence: null,
};
const RESPONSE: TurnStep = { response };
const PASSED: TurnStep = { results: { "airlock.check_patch": { status: "ok", content: { files: 1 } } } };
const APPLIED: TurnStep = { results: { apply_patch: { status: "ok", content: { files: 1 } } } };
const DENIED: TurnStep = { results: { "airlock.check_patch": { denied: "SANDBOX_FAILED" } } };
const POLICY = (apply: string): string => `
apiVersion: airlock.policy/v1
mode: enforce
defaults: { noMatch: forbid }
paths: { read: { allow: ["**"] }, write: { allow: ["src/**"] } }
rules:
  - { id: write, decision: allow, tool: write_file }
  - { id: apply, decision: ${apply}, tool: apply_patch }
`;

let server: RedisServer;
let validator: TestValidator;
let played: Played;

beforeAll(async () => {
  server = await startRedis();
  const route = { name: "gateway", family: "responses" } as const;
  validator = createTestValidator(server.redis, route, createRouteBreaker(server.redis, PATIENT));
});
afterAll(async () => {
  await validator.close();
  await server.close();
});
beforeEach(async () => {
  await server.redis.flushall();
  played = await open({});
});
afterEach(() => played.close());

function open({ policy, ...spec }: { readonly policy?: string } & Opening["spec"]): Promise<Played> {
  return openTurns(validator, server.redis, {
    family: "responses",
    verified: true,
    ...(policy === undefined ? {} : { policy }),
    spec: { expect: { kind: "patch", apply: true }, ...spec },
  });
}

/** A run of its own instead of the plain one. */
async function reopen(change: Parameters<typeof open>[0]): Promise<void> {
  await played.close();
  played = await open(change);
}

async function play(...steps: readonly TurnStep[]): Promise<void> {
  for (const step of steps) await played.step(step);
}

const endOf = (key: string): Promise<number> => server.redis.pexpiretime(key);

const attempt = () => ({ run: played.run, turn: 1, attempt: 1 });
const keyOf = (own: "check" | "apply"): string => ownCallKey(attempt(), own);
const granted = async (own: "check" | "apply") => (await readCall(server.redis, keyOf(own)))?.grant ?? null;

/** A validator that dies where the named write would come next. */
async function dyingAt(write: "unlock" | "release", step: Parameters<Played["step"]>[0]): Promise<void> {
  const { store } = validator.deps;
  const kept = store[write];
  Object.assign(store, { [write]: () => Promise.reject(new Error("died")) });
  await expect(played.step(step)).rejects.toThrow("died");
  Object.assign(store, { [write]: kept });
}

async function swept(): Promise<void> {
  await server.redis.zadd(globalKeys.open, 1, turnKey(attempt()));
  await sweep(validator.deps);
}

describe("a call of the validator's own", () => {
  test("is granted by the sweeper where the validator died before it could", async () => {
    await dyingAt("release", RESPONSE);
    expect(await granted("check")).toBe(0);
    await swept();
    expect(await granted("check")).toBe(1);
  });

  test("is made once, whatever happens between its decision and its unlocking", async () => {
    await dyingAt("unlock", RESPONSE);
    expect(await readTurn(server.redis, played.run, 1)).toMatchObject({ state: "streaming" });
    await played.step(RESPONSE);
    await played.step(PASSED);
    expect([await granted("check"), await granted("apply")]).toEqual([1, 1]);
  });

  test("that applies follows a check whose end was heard before the validator died", async () => {
    await played.step(RESPONSE);
    await dyingAt("unlock", PASSED);
    await swept();
    expect(await granted("apply")).toBe(1);
  });

  test("has its grant published again where the job was lost", async () => {
    const executions = new Queue("executions.default", {
      connection: server.redis,
      prefix: queuePrefix("executions.default"),
    });
    await played.step(RESPONSE); // which takes the job away
    expect(await executions.getJob(`${keyOf("check")}.1`)).toBeUndefined();
    await swept();
    expect(await executions.getJob(`${keyOf("check")}.1`)).toBeDefined();
    await executions.close();
  });
});

describe("who can write to Redis and holds no key", () => {
  const apply = async (): Promise<void> => {
    const keys = runKeys(played.run);
    const fields = {
      state: "POLICY_APPROVED",
      tool: "apply_patch",
      callId: "",
      argumentsKind: "json",
      bytes: 1,
    };
    await server.redis.hset(keys.call(keyOf("apply")), { ...fields, effect: "mutating", notAfter: 9e15 });
    await server.redis.hset(keys.turn(1), `call:${keyOf("apply")}`, "waiting");
  };

  test("gets no patch applied that was not checked", async () => {
    await played.step(RESPONSE);
    await apply();
    await advanceTurn(validator.deps, attempt());
    expect(await readCall(server.redis, keyOf("apply"))).toMatchObject({ settled: "DENIED", grant: 0 });
    await played.step(PASSED);
    expect(await played.cameOf()).toMatchObject({
      run: { state: "escalated", errorClass: "POLICY_CHANGED" },
    });
  });

  test("gets no check believed whose result no executor sealed", async () => {
    await played.step(RESPONSE);
    const keys = runKeys(played.run);
    const forged = { settled: "EXECUTED", status: "ok", contentDigest: "0".repeat(64) };
    await server.redis.hset(keys.call(keyOf("check")), forged);
    await server.redis.set(keys.result(keyOf("check")), "{}");
    await server.redis.hset(keys.turn(1), `call:${keyOf("check")}`, "settled");
    await expect(advanceTurn(validator.deps, attempt())).rejects.toThrow(
      /not the one that the executor signed/,
    );
    await apply();
    await advanceTurn(validator.deps, attempt());
    expect(await granted("apply")).toBe(0);
  });

  test("gets no check made of a response that is not complete", async () => {
    const read = { tool: "read_file", arguments: { path: "src/a.js" }, quarantined: null };
    await played.step({ response: { ...response, outcome: "tool", items: [{ message: PATCH }, read] } });
    const [keys, key] = [runKeys(played.run), keyOf("check")];
    await server.redis.hset(keys.turn(1), `call:${key}`, "waiting");
    await server.redis.hset(keys.call(key), {
      state: "POLICY_APPROVED",
      tool: "airlock.check_patch",
      callId: "",
      argumentsKind: "json",
      bytes: 1,
      notAfter: 9e15,
    });
    await advanceTurn(validator.deps, attempt());
    expect(await readCall(server.redis, key)).toMatchObject({ settled: "DENIED", grant: 0 });
  });
});

describe("the retention of a run whose output was checked and applied", () => {
  /** As an executor leaves it. */
  async function claimed(own: "check" | "apply"): Promise<void> {
    const { tool = "", argumentsDigest: digest = "" } = (await readCall(server.redis, keyOf(own))) ?? {};
    const request = {
      itemKey: keyOf(own),
      owner: "e",
      leaseMs: 1_000,
      knownFence: 0,
      nonce: null,
      grant: 1,
      digest,
      tool,
    };
    const late = { expiresAt: 9e15, notAfter: 9e15 };
    const claim = { ...request, ...late, effect: "read" } as const;
    expect(await createLedger(server.redis).claim(claim)).toMatchObject({ kind: "claimed" });
  }

  test("leaves no key without an end when the run has ended", async () => {
    await play(RESPONSE);
    await claimed("check");
    await play(PASSED);
    await claimed("apply");
    await play(APPLIED);
    expect(await readRun(server.redis, played.run)).toMatchObject({ state: "completed" });
    const families = await runFamilies(server.redis, played.run);
    for (const family of ["arguments", "call", "ledger", "result"]) {
      const own = ["1000000", "1000001"].map((ordinal) => `${family}:<run>.1.1.${ordinal}`);
      expect(families).toEqual(expect.arrayContaining(own));
    }
    const keys = (await allKeys(server.redis)).filter((key) => key.startsWith(`airlock:{${played.run}}:`));
    const ends = await Promise.all(keys.map(async (key) => ({ key, end: await endOf(key) })));
    expect(ends.filter(({ end }) => end === -1)).toEqual([]);
  });

  test("has the arguments of a call that was refused go as all that is set aside, and keeps those of others", async () => {
    await reopen({ policy: POLICY("forbid") });
    await play(RESPONSE, PASSED);
    const keys = runKeys(played.run);
    const { rawUntil } = (await readCall(server.redis, keyOf("apply"))) ?? {};
    const { keepUntil } = (await readRun(server.redis, played.run)) ?? {};
    expect(await endOf(keys.arguments(keyOf("apply")))).toBe(rawUntil);
    expect(await endOf(keys.arguments(keyOf("check")))).toBe(keepUntil);
    await played.requeue();
    expect(await endOf(keys.arguments(keyOf("apply")))).toBe(rawUntil);
    expect(await endOf(keys.arguments(keyOf("check")))).toBe(-1);
  });

  test.each([
    ["policy", () => reopen({ policy: POLICY("forbid"), retention: { rawMs: 0 } }), PASSED, "apply"],
    ["the executor", () => reopen({ retention: { rawMs: 0 } }), DENIED, "check"],
  ] as const)("of zero keeps nothing of a call that %s refuses", async (_, given, result, own) => {
    await given();
    await play(RESPONSE, result);
    expect(await readRun(server.redis, played.run)).toMatchObject({ state: "escalated" });
    expect(await server.redis.exists(runKeys(played.run).arguments(keyOf(own)))).toBe(0);
    expect(await server.redis.exists(runKeys(played.run).partial)).toBe(0);
  });
});

describe("a requeue of a run that ended in a check of its output", () => {
  const write = { tool: "write_file", arguments: { path: "src/b.js", content: "b" }, quarantined: null };
  const WRITE: TurnStep = { response: { ...response, outcome: "tool", items: [write] } };
  const WRITTEN: TurnStep = { results: { write_file: { status: "ok", content: {} } } };

  async function openedAnew(turn: number): Promise<void> {
    expect(await readTurn(server.redis, played.run, turn)).toEqual({
      state: "streaming",
      attempt: 2,
      maxOutputTokens: null,
      calls: new Map(),
      refusals: new Map(),
    });
    await play(RESPONSE, PASSED, APPLIED);
    const { state, errorClass } = (await readRun(server.redis, played.run)) ?? {};
    expect([state, errorClass]).toEqual(["completed", undefined]);
    const again = ownCallKey({ run: played.run, turn, attempt: 2 }, "apply");
    expect(await readCall(server.redis, again)).toMatchObject({ settled: "EXECUTED", grant: 1 });
  }

  test("over the budget, with that raised, opens a fresh attempt, which is checked and applied", async () => {
    await reopen({ policy: POLICY("allow"), limits: { mutatingCalls: 1 } });
    await play(WRITE, WRITTEN, RESPONSE, PASSED);
    expect(await readRun(server.redis, played.run)).toMatchObject({ errorClass: "BUDGET_MUTATING" });
    expect(await played.requeue({ mutatingCalls: 2 })).toBe("requeued_attempt");
    await openedAnew(2);
  });

  test("forbidden by a policy that was mended since opens one too", async () => {
    await reopen({ policy: POLICY("forbid") });
    await play(RESPONSE, PASSED);
    expect(await readRun(server.redis, played.run)).toMatchObject({ errorClass: "POLICY_FORBIDDEN" });
    const enforced = loadPolicy({ name: "case", text: POLICY("allow") });
    validator.policies.set("case", { enforced, shadow: null });
    expect(await played.requeue()).toBe("requeued_attempt");
    await openedAnew(1);
  });

  test("that could not be made opens one too", async () => {
    await play(RESPONSE, DENIED);
    expect(await readRun(server.redis, played.run)).toMatchObject({ errorClass: "SANDBOX_FAILED" });
    expect(await played.requeue()).toBe("requeued_attempt");
    await openedAnew(1);
  });

  test.each([
    ["was applied", { status: "ok", content: { files: 1 } }, "completed"],
    [
      "may have been",
      { status: "unknown", errorClass: "OUTCOME_UNKNOWN", detail: "lost" },
      "outcome_unknown",
    ],
  ] as const)("waits for what applies, and lets it stand where the patch %s", async (_, result, state) => {
    await play(RESPONSE, PASSED, { now: "after the deadline" });
    expect(await readRun(server.redis, played.run)).toMatchObject({ errorClass: "DEADLINE_EXCEEDED" });
    expect(await played.requeue()).toBe("calls_open");
    await play({ results: { apply_patch: result } });
    expect(await played.requeue()).toBe("requeued_calls");
    expect(await readTurn(server.redis, played.run, 1)).toMatchObject({ state: "closed", attempt: 1 });
    expect(await readRun(server.redis, played.run)).toMatchObject({ state });
  });
});

test.each([
  ["checks", "check", RESPONSE, []],
  ["applies", "apply", PASSED, [RESPONSE]],
] as const)("a call that %s, settled before it is unlocked, ends its run", async (_, own, step, before) => {
  await play(...before);
  await dyingAt("unlock", step);
  const fields = { settled: "DENIED", errorClass: "BUDGET_MUTATING" } as const;
  await validator.deps.store.settle(keyOf(own), { fields, events: [], ifGrant: 0 });
  await (own === "check" ? played.step(step) : swept());
  expect(await readRun(server.redis, played.run)).toMatchObject({
    state: "escalated",
    errorClass: fields.errorClass,
  });
});
