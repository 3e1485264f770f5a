import { Queue } from "bullmq";
import { queuePrefix } from "@airlock/core/queue";
import { ownCallKey, turnKey } from "@airlock/core/record";
import { createRouteBreaker, readCall, readTurn } from "@airlock/core/run";
import { globalKeys, runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { advanceTurn } from "../../services/validator/src/settlement/advance-turn.ts";
import { sweep } from "../../services/validator/src/sweep/sweeper.ts";
import { openTurns, type Played } from "../support/play-turns.ts";
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
  played = await openTurns(validator, server.redis, {
    family: "responses",
    verified: true,
    spec: { expect: { kind: "patch", apply: true } },
  });
  return () => played.close();
});

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
