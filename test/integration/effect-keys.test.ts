import { createEffectKeys, createLedger, type EffectKeys, type Ledger } from "@airlock/core/ledger";
import { loadPolicy } from "@airlock/core/policy";
import { itemKey, newRunId } from "@airlock/core/record";
import { createRouteBreaker, readCall, readConversation, readRun, readTurn } from "@airlock/core/run";
import { globalKeys, readEvent, redisNow, runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ExecutionBody, ResultBody } from "@airlock/core/contract";
import type { Delivery } from "@airlock/core/queue";
import { reserveEffect } from "../../services/executor/src/grant/reserve-effect.ts";
import { answerCall } from "@airlock/operator/order";
import { followAnswers } from "../../services/validator/src/approval/follow-answers.ts";
import { onResult } from "../../services/validator/src/settlement/on-result.ts";
import { BEGINNING, DIGEST, LOST, OK, RECONCILER } from "../support/ledger-case.ts";
import { openTurns, type Played } from "../support/play-turns.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { createTestValidator, type TestValidator } from "../support/test-validator.ts";

const EFFECT = "e".repeat(64);
const PATIENT = { mismatches: 1_000, windowMs: 60_000, openMs: 60_000, probeMs: 60_000 };

let server: RedisServer;
let ledger: Ledger;
let effects: EffectKeys;
let validator: TestValidator;
let run: string;

beforeAll(async () => {
  server = await startRedis();
  ledger = createLedger(server.redis);
  effects = createEffectKeys(server.redis, ledger);
  const route = { name: "gateway", family: "responses" } as const;
  validator = createTestValidator(server.redis, route, createRouteBreaker(server.redis, PATIENT));
});
afterAll(async () => {
  await validator.close();
  await server.close();
});
beforeEach(async () => {
  await server.redis.flushall();
  run = newRunId();
  await server.redis.hset(runKeys(run).run, { state: "running" });
});

function key(turn: number, attempt = 1, ordinal = 0): string {
  return itemKey({ run, turn, attempt, ordinal });
}

async function begun(item: string): Promise<void> {
  await server.redis.hset(runKeys(run).call(item), { state: "POLICY_APPROVED", grant: 1 });
  const now = await redisNow(server.redis);
  const claim = {
    itemKey: item,
    owner: "e",
    leaseMs: 60_000,
    knownFence: 0,
    nonce: null,
    grant: 1,
    digest: DIGEST,
  };
  const call = {
    tool: "write_file",
    effect: "mutating",
    expiresAt: now + 60_000,
    notAfter: now + 60_000,
  } as const;
  expect(await ledger.claim({ ...claim, ...call })).toMatchObject({ kind: "claimed" });
  await ledger.begin(item, 1, BEGINNING);
}

const reserve = (item: string, repeats: string | null = null) =>
  effects.reserve({ itemKey: item, digest: EFFECT, repeats });

describe("an effect key", () => {
  test("has one owner, however many ask for it at once; the same call may ask again", async () => {
    const items = Array.from({ length: 10 }, (_, at) => key(1, 1, at));
    await Promise.all(items.map((item) => reserve(item)));
    const owner = await server.redis.get(globalKeys.effect(EFFECT));
    expect(items).toContain(owner);
    expect(await reserve(owner ?? "")).toEqual({ kind: "reserved" });
    expect(await server.redis.pttl(globalKeys.effect(EFFECT))).toBeGreaterThan(29 * 86_400_000);
  });

  test("is held while its owner runs, and free for the next turn once it has ended", async () => {
    await reserve(key(1));
    await begun(key(1));
    expect(await reserve(key(2))).toEqual({ kind: "held", leaseMs: expect.any(Number) });
    await ledger.end(key(1), 1, OK);
    expect(await reserve(key(2))).toEqual({ kind: "reserved" });
    expect(await server.redis.get(globalKeys.effect(EFFECT))).toBe(key(2));
  });

  test("of an older attempt of the same turn, executed, says repeated; a grant that says so passes", async () => {
    await reserve(key(1));
    await begun(key(1));
    await ledger.end(key(1), 1, OK);
    const again = { kind: "repeated", owner: key(1) };
    expect(await reserve(key(1, 2))).toEqual(again);
    expect(await reserve(key(1, 2), key(1, 1, 5))).toEqual(again);
    expect(await server.redis.get(globalKeys.effect(EFFECT))).toBe(key(1));
    expect(await reserve(key(1, 2), key(1))).toEqual({ kind: "reserved" });
  });

  test("of an unknown call says repeated, also once it was found to have run, but not to have not", async () => {
    await reserve(key(1));
    await begun(key(1));
    await ledger.end(key(1), 1, LOST);
    const again = { kind: "repeated", owner: key(1) };
    expect(await reserve(key(2))).toEqual(again);
    await ledger.reconcile(key(1), RECONCILER);
    expect(await reserve(key(2))).toMatchObject({ kind: "held" });
    await ledger.conclude(key(1), 2, { finding: "inconclusive" });
    expect(await reserve(key(2))).toEqual(again);
    await ledger.resolve(key(1), { finding: "executed", by: "ada", reason: "seen" });
    expect(await reserve(key(2))).toEqual(again);
    await reserve(key(3, 1), key(1));
    expect(await reserve(key(4))).toEqual({ kind: "reserved" });
  });
});

describe("an executor", () => {
  const grant = (change: Partial<ExecutionBody> = {}): ExecutionBody => ({
    version: 1,
    run,
    itemKey: key(2),
    grant: 1,
    tool: "write_file",
    manifestDigest: DIGEST,
    effect: "mutating",
    argumentsDigest: DIGEST,
    policy: "p",
    policyDigest: DIGEST,
    workspace: { source: "/srv/app", ref: "main" },
    pool: "default",
    expiresAt: 9e15,
    notAfter: 9e15,
    ...change,
  });
  const asks = (change: Partial<ExecutionBody> = {}) =>
    reserveEffect({ redis: server.redis, ledger, effects }, grant(change), { path: "a" });

  /** A call of the first turn with the same effect, whose end nobody saw. */
  async function lost(): Promise<void> {
    await asks({ itemKey: key(1) });
    await begun(key(1));
    await ledger.end(key(1), 1, LOST);
  }

  test("reserves what it is about to do, and sends back what would be done twice", async () => {
    await lost();
    expect(await asks()).toEqual({ kind: "repeated", owner: key(1) });
    expect(await asks({ repeats: key(1) })).toEqual({ kind: "reserved" });
  });

  test("asks for nothing that only reads, has begun, or is too late", async () => {
    await begun(key(3));
    await ledger.end(key(3), 1, OK);
    await lost();
    expect(await asks({ itemKey: key(3) })).toEqual({ kind: "reserved" });
    expect(await asks({ effect: "read" })).toEqual({ kind: "reserved" });
    expect(await asks({ itemKey: key(1) })).toEqual({ kind: "reserved" });
    expect(await asks({ notAfter: 1 })).toEqual({ kind: "reserved" });
    expect(await asks()).toEqual({ kind: "repeated", owner: key(1) });
  });
});

describe("a call that would repeat an effect", () => {
  const policy = (defaults: string) => `apiVersion: airlock.policy/v1
mode: enforce
defaults: { noMatch: forbid${defaults} }
paths: { read: { allow: ["**"] }, write: { allow: ["**"] } }
rules:
  - { id: write, decision: allow, tool: write_file }
`;
  const write = { tool: "write_file", arguments: { path: "src/a.js", content: "x" }, quarantined: null };
  const response = { errorClass: null, outputTokens: null, httpStatus: 200, stopSequence: null } as const;
  let played: Played;

  /** A granted call of the run, which its executor says would repeat another one. */
  async function redecided(defaults: string, repeats?: string): Promise<string> {
    played = await openTurns(validator, server.redis, {
      family: "responses",
      verified: true,
      policy: policy(defaults),
      spec: {},
    });
    await played.step({ response: { ...response, outcome: "tool", items: [write, write] } });
    await played.step({ results: {} });
    const item = `${played.run}.1.1.0`;
    const owner = repeats ?? `${played.run}.1.1.1`;
    const body = {
      version: 1,
      run: played.run,
      itemKey: item,
      grant: 1,
      fence: 0,
      kind: "redecide",
      errorClass: "REPEATED_EFFECT",
      repeats: owner,
    } as const satisfies ResultBody;
    const delivery = { purpose: "result", body, record: null, signal: new AbortController().signal };
    await onResult(validator.deps, delivery as unknown as Delivery<"result">);
    await onResult(validator.deps, delivery as unknown as Delivery<"result">);
    return item;
  }

  async function statesTold(item: string): Promise<readonly string[]> {
    const entries = await server.redis.xrange(runKeys(played.run).events, "-", "+");
    return entries.flatMap(([, fields]) => {
      const event = readEvent(fields);
      return event?.type === "item_state" && event.itemKey === item ? [event.state] : [];
    });
  }

  test("waits for a person by default, without a grant that holds, and expires as any other", async () => {
    const item = await redecided("");
    const owner = `${played.run}.1.1.1`;
    expect(await readCall(server.redis, item)).toMatchObject({ state: "AWAITING_APPROVAL", repeats: owner });
    expect(await readRun(server.redis, played.run)).toMatchObject({ state: "awaiting_approval" });
    expect((await readTurn(server.redis, played.run, 1))?.calls.get(item)).toMatchObject({
      stage: "waiting",
    });
    expect((await statesTold(item)).slice(-2)).toEqual(["SCHEMA_VALID", "AWAITING_APPROVAL"]);
    await played.step({ now: "after the approval" });
    expect(await readCall(server.redis, item)).toMatchObject({
      settled: "EXPIRED",
      errorClass: "APPROVAL_EXPIRED",
    });
    await played.close();
  });

  test("gets a grant that says what it repeats, once it is approved", async () => {
    const item = await redecided("");
    const { redis } = server;
    // what stands in the call's own record approves nothing
    await redis.hset(runKeys(played.run).call(item), { state: "POLICY_APPROVED", notAfter: 9e15 });
    await onResult(validator.deps, anyResult(item));
    expect(await readCall(redis, item)).toMatchObject({ state: "AWAITING_APPROVAL", grant: 1 });
    const { console: keyring, approver } = validator.keyrings;
    const asked = { itemKey: item, answer: "approve", approver: "ana", reason: "once more" } as const;
    expect(await answerCall({ redis, keyring, approver }, asked)).toMatchObject({ outcome: "approved" });
    await followAnswers(validator.deps, item, { why: "promoted", nonce: null });
    const record = JSON.parse((await readCall(redis, item))?.grantRecord ?? "{}") as { body: string };
    expect(JSON.parse(record.body)).toMatchObject({
      grant: 2,
      repeats: `${played.run}.1.1.1`,
      approval: { requestedBy: "t", quorum: 1 },
    });
    await played.close();
  });

  /** A result of an older grant: it changes nothing, and has the turn looked at. */
  function anyResult(item: string): Delivery<"result"> {
    const body = {
      version: 1,
      run: played.run,
      itemKey: item,
      grant: 1,
      fence: 9,
      kind: "regrant",
      errorClass: "GRANT_EXPIRED",
    };
    return { body, record: null, signal: new AbortController().signal } as unknown as Delivery<"result">;
  }

  test("is denied where policy says so, and where nobody is asked", async () => {
    const item = await redecided(", onRepeatEffect: deny");
    expect(await readCall(server.redis, item)).toMatchObject({
      settled: "DENIED",
      errorClass: "REPEATED_EFFECT",
    });
    await played.close();
    const other = await redecided(", onAskNonInteractive: deny");
    expect(await readCall(server.redis, other)).toMatchObject({
      settled: "DENIED",
      errorClass: "APPROVAL_NOT_ASKED",
    });
    await played.close();
  });

  test("is denied where policy has changed its mind on the call itself", async () => {
    played = await openTurns(validator, server.redis, {
      family: "responses",
      verified: true,
      policy: policy(""),
      spec: {},
    });
    await played.step({ response: { ...response, outcome: "tool", items: [write] } });
    const enforced = loadPolicy({
      name: "case",
      text: policy("").replace("decision: allow", "decision: forbid"),
    });
    validator.policies.set("case", { enforced, shadow: null });
    const item = `${played.run}.1.1.0`;
    const body = {
      version: 1,
      run: played.run,
      itemKey: item,
      grant: 1,
      fence: 0,
      kind: "redecide",
    } as const;
    const more = { errorClass: "REPEATED_EFFECT", repeats: `${played.run}.1.1.1` } as const;
    const delivery = { body: { ...body, ...more }, record: null, signal: new AbortController().signal };
    await onResult(validator.deps, delivery as unknown as Delivery<"result">);
    expect(await readCall(server.redis, item)).toMatchObject({
      settled: "DENIED",
      errorClass: "POLICY_CHANGED",
    });
    await played.close();
  });

  describe("with the recorded result instead", () => {
    const RECORDED = ", onRepeatEffect: return_recorded";

    test("has the older call's result stand for its own, and runs nothing", async () => {
      played = await openTurns(validator, server.redis, {
        family: "responses",
        verified: true,
        policy: policy(RECORDED),
        spec: {},
      });
      await played.step({ response: { ...response, outcome: "tool", items: [write, write] } });
      await played.step({ results: { write_file: { status: "ok", content: { bytes: 1 } } } });
      const [first, second] = [`${played.run}.1.1.0`, `${played.run}.1.1.1`];
      expect(await readCall(server.redis, second)).toMatchObject({ state: "POLICY_APPROVED", grant: 1 });
      const body = {
        version: 1,
        run: played.run,
        itemKey: second,
        grant: 1,
        fence: 0,
        kind: "redecide",
      } as const;
      const more = { errorClass: "REPEATED_EFFECT", repeats: first } as const;
      const delivery = { body: { ...body, ...more }, record: null, signal: new AbortController().signal };
      await onResult(validator.deps, delivery as unknown as Delivery<"result">);
      expect(await readCall(server.redis, second)).toMatchObject({
        settled: "EXECUTED",
        status: "ok",
        recordedOf: first,
      });
      const entries = await readConversation(
        { redis: server.redis, keyring: validator.keyrings.validator },
        played.run,
      );
      const results = entries.filter(({ type }) => type === "call_result");
      expect(results).toHaveLength(2);
      expect(
        new Set(results.map((result) => JSON.stringify("content" in result && result.content))).size,
      ).toBe(1);
      await played.close();
    });

    test("is denied where the older call has no result, or is another run's", async () => {
      const before = await redecided(RECORDED);
      expect(await readCall(server.redis, before)).toMatchObject({ settled: "DENIED" });
      await played.close();
      const foreign = itemKey({ run: newRunId(), turn: 1, attempt: 1, ordinal: 0 });
      const owner = {
        tool: "write_file",
        callId: "",
        argumentsKind: "json",
        bytes: 1,
        contentDigest: DIGEST,
      };
      const { call } = runKeys(foreign.split(".")[0] ?? "");
      await server.redis.hset(call(foreign), {
        ...owner,
        state: "POLICY_APPROVED",
        settled: "EXECUTED",
        status: "ok",
      });
      const item = await redecided(RECORDED, foreign);
      expect(await readCall(server.redis, item)).toMatchObject({
        settled: "DENIED",
        errorClass: "REPEATED_EFFECT",
      });
      await played.close();
    });
  });
});
