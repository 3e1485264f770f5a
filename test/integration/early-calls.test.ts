import { itemKey, newRunId, type ItemParts } from "@airlock/core/record";
import {
  createStreamerStore,
  createValidatorStore,
  readCall,
  readRun,
  readItem,
  readTurn,
  type StreamerStore,
  type ValidatorStore,
} from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

let server: RedisServer;
let validator: ValidatorStore;
let streamer: StreamerStore;
let item: ItemParts;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.redis.flushall();
  validator = createValidatorStore(server.redis, { keepMs: 600_000 });
  streamer = createStreamerStore(server.redis);
  item = { run: newRunId(), turn: 1, attempt: 1, ordinal: 0 };
  await validator.admit(item.run, {
    fields: { state: "running", route: "r", model: "m", policy: "p", requestedBy: "t", labels: {} },
    pieces: [],
    maxOutputTokens: null,
    deadlineMs: 10_000,
    refused: false,
    events: [],
  });
  await streamer.begin(item, "s1");
  await validator.decide(
    itemKey(item),
    { state: "POLICY_APPROVED", tool: "t", callId: "c", argumentsKind: "json", bytes: 1, effect: "read" },
    [],
  );
});

const key = (): string => itemKey(item);
const release = (callLimit = 1) => validator.releaseEarly(item, { fields: { grantRecord: "g" }, callLimit });
const drop = () => validator.dropEarly(item, { errorClass: "PROVISIONAL_DROPPED", ifRun: [], ifNot: [] });
const settle = () => validator.settle(key(), { fields: { settled: "EXECUTED" }, events: [], ifGrant: null });
const storeEarly = (owner = "s1") =>
  streamer.storeEarly(item, { owner, itemKey: key(), record: "{}", content: "c", items: 1, events: [] });
const commit = () => streamer.commit(item, { owner: "s1", fields: {}, pieces: [], items: [], events: [] });
const unlock = () =>
  validator.unlock(item, {
    stages: new Map([[key(), "waiting"]]),
    needs: new Map(),
    calls: 0,
    mutatingCalls: 0,
    limits: { calls: 10, mutatingCalls: 10 },
    runState: "running",
  });

/** What makes an early step too late, or never allowed. */
const HINDRANCES: readonly [string, () => Promise<unknown>][] = [
  ["the attempt is committed", commit],
  ["another attempt is current", () => validator.nextAttempt(item, { maxOutputTokens: null, events: [] })],
  ["the run is cancelled", () => validator.cancel(item.run, [])],
  ["the run has ended", () => validator.endRun(item, { state: "failed", fields: {}, events: [] })],
];

describe("an item's record before the commit", () => {
  test("is stored by the streamer that began the attempt", async () => {
    expect(await storeEarly()).toBe(true);
    expect(await readItem(server.redis, key())).toEqual({ record: {}, content: "c" });
  });
  test.each([...HINDRANCES])("is refused when %s", async (_, hinder) => {
    await hinder();
    expect(await storeEarly()).toBe(false);
    expect(await readItem(server.redis, key())).toBeNull();
  });
  test("is refused from another streamer", async () => {
    expect(await storeEarly("s2")).toBe(false);
  });
});

describe("an early grant", () => {
  test("is given once, and makes the call none of the turn's", async () => {
    expect([await release(), await release()]).toEqual([true, false]);
    expect(await validator.earlyCalls(item)).toEqual([key()]);
    expect(await readRun(server.redis, item.run)).toMatchObject({ calls: 1 });
    expect((await readTurn(server.redis, item.run, 1))?.calls).toEqual(new Map());
  });
  test.each<[string, () => Promise<unknown>]>([
    ...HINDRANCES,
    ["the call is no read", () => server.redis.hset(runKeys(item.run).call(key()), "effect", "idempotent")],
    [
      "the call waits for approval",
      () => server.redis.hset(runKeys(item.run).call(key()), "state", "AWAITING_APPROVAL"),
    ],
    ["the run has used up its calls", () => server.redis.hset(runKeys(item.run).run, "calls", "1")],
  ])("is refused when %s", async (_, hinder) => {
    await hinder();
    expect(await release()).toBe(false);
    expect(await readCall(server.redis, key())).toMatchObject({ grant: 0 });
  });
});

test("of two calls at once a budget of one lets one run early", async () => {
  const other = { ...item, ordinal: item.ordinal + 1 };
  await validator.decide(
    itemKey(other),
    { state: "POLICY_APPROVED", tool: "t", callId: "d", argumentsKind: "json", bytes: 1, effect: "read" },
    [],
  );
  const answers = await Promise.all(
    [item, other].map((each) => validator.releaseEarly(each, { fields: { grantRecord: "g" }, callLimit: 1 })),
  );
  expect(answers.filter(Boolean)).toHaveLength(1);
  expect(await readRun(server.redis, item.run)).toMatchObject({ calls: 1 });
});

describe("an early call", () => {
  test("that is dropped before its result never runs, and the result changes nothing", async () => {
    await release();
    expect([await drop(), await drop()]).toEqual([true, false]);
    expect((await settle()).first).toBe(false);
    expect(await readCall(server.redis, key())).toMatchObject({
      settled: "CANCELLED",
      errorClass: "PROVISIONAL_DROPPED",
      dropped: "1",
    });
  });
  test("that ran is dropped with its result", async () => {
    await release();
    expect((await settle()).turn.calls.size).toBe(0);
    expect(await drop()).toBe(true);
    expect(await readCall(server.redis, key())).toMatchObject({ settled: "EXECUTED", dropped: "1" });
    expect(await readRun(server.redis, item.run)).toMatchObject({ calls: 1 });
  });
  test("that is settled is found settled by the unlocking", async () => {
    await release();
    await settle();
    expect(await unlock()).toMatchObject({ answer: "unlocked", settled: [key()] });
    expect((await readTurn(server.redis, item.run, 1))?.calls).toEqual(
      new Map([[key(), { stage: "settled", needs: [] }]]),
    );
    expect(await drop()).toBe(false);
  });
  test("that still runs is released when its turn is unlocked, and settles like any other", async () => {
    await release();
    expect(await unlock()).toMatchObject({ answer: "unlocked", settled: [] });
    expect((await readTurn(server.redis, item.run, 1))?.calls.get(key())?.stage).toBe("released");
    expect((await settle()).turn.calls.get(key())?.stage).toBe("settled");
  });
});
