import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { itemKey, newRunId } from "@airlock/core/record";
import { redisNow, runKeys } from "@airlock/core/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  DONE,
  grantCall,
  startDurableExecutor,
  type DurableExecutor,
  type TestCall,
} from "../support/durable-executor.ts";
import { startFailoverPair, type FailoverPair } from "../support/failover.ts";
import { signedGrant } from "../support/signed-grant.ts";

let pair: FailoverPair;
let folder: string;
let executors: DurableExecutor[];

beforeEach(async () => {
  pair = await startFailoverPair();
  folder = await mkdtemp(path.join(tmpdir(), "airlock-failover-"));
  executors = [];
});
afterEach(async () => {
  await Promise.all(executors.map((executor) => executor.die()));
  await pair.close();
  await rm(folder, { recursive: true });
});

/** Names as executors of a host that nobody here can see into have them. */
const SUFFIX = "_000000000000_1-1_00000000-0000-0000-0000-000000000000";
const [ONE, TWO, THREE] = [`one${SUFFIX}`, `two${SUFFIX}`, `three${SUFFIX}`];

async function executor(owner: string): Promise<DurableExecutor> {
  const started = await startDurableExecutor({ url: pair.url, folder, owner });
  executors.push(started);
  return started;
}

async function openExecutor(owner: string): Promise<DurableExecutor> {
  const started = await executor(owner);
  await started.open();
  return started;
}

async function die(dead: DurableExecutor): Promise<void> {
  executors.splice(executors.indexOf(dead), 1);
  await dead.die();
}

async function grantedCall(effect: "read" | "mutating" = "mutating"): Promise<TestCall> {
  const run = newRunId();
  const key = itemKey({ run, turn: 1, attempt: 1, ordinal: 0 });
  const call = { run, itemKey: key, now: await redisNow(pair.master.redis), effect };
  await grantCall(pair.master.redis, call);
  return call;
}

/** Waits until it has noticed, then until claims may be made again. */
async function reopened(by: DurableExecutor): Promise<void> {
  while (!by.told.some(({ event, state }) => event === "claims_gate" && state === "frozen")) await sleep(10);
  await by.open();
}

const stateOf = async (by: DurableExecutor, call: TestCall) => (await by.ledger.read(call.itemKey))?.state;

describe("a failover that loses", () => {
  test("the decision: nobody can claim what was not decided", async () => {
    const one = await openExecutor(ONE);
    await pair.cutOff();
    const call = await grantedCall();
    await pair.failOver();
    await reopened(one);
    expect(await one.claim(call)).toEqual({ kind: "refused", reason: "no_call" });
  });

  test("a claim: the next one's fence is above every fence of before, and the old holder can't begin", async () => {
    const [one, two] = [await openExecutor(ONE), await openExecutor(TWO)];
    const call = await grantedCall();
    await pair.cutOff();
    expect(await one.claim(call)).toMatchObject({ kind: "claimed", fence: 1 });
    await pair.failOver();
    await Promise.all([one, two].map(reopened));
    const claimed = await two.claim(call);
    expect(claimed).toMatchObject({ kind: "claimed", fence: 1_000_001 });
    expect(await one.ledger.begin(call.itemKey, 1, { expected: null })).toBe("stale");
    expect(await two.ledger.begin(call.itemKey, 1_000_001, { expected: null })).toBe("started");
  });

  test.each(["no entry at all", "the claim"])("the start, back to %s: it is unknown", async (left) => {
    const one = await openExecutor(ONE);
    const call = await grantedCall();
    if (left === "no entry at all") await pair.cutOff();
    const claimed = await one.claim(call);
    expect(claimed.kind).toBe("claimed");
    if (left === "the claim") await pair.cutOff();
    await one.durability.begin(call.itemKey, 1, { expected: null });
    await one.durability.writeAhead.started({ ...lineOf(call), fence: 1 });
    await pair.failOver();
    await reopened(one);
    expect(await one.ledger.read(call.itemKey)).toMatchObject({
      state: "OUTCOME_UNKNOWN",
      fence: 1,
      owner: ONE,
    });
    expect(await one.claim(call)).toEqual({ kind: "unknown", fence: 1 });
    expect(await one.durability.end({ itemKey: call.itemKey, fence: 1 }, DONE)).toBe(false);
  });

  test("the end: it is ended again, with its result", async () => {
    const one = await openExecutor(ONE);
    const call = await grantedCall();
    const fence = await one.start(call);
    await pair.cutOff();
    await one.durability.writeAhead.committed({ itemKey: call.itemKey, fence }, DONE);
    expect(await one.ledger.end(call.itemKey, fence, DONE)).toBe(true);
    await pair.failOver();
    await reopened(one);
    expect(await one.ledger.read(call.itemKey)).toMatchObject({ state: "EXECUTED", status: "ok", fence });
    expect(await pair.replica.redis.get(runKeys(call.run).result(call.itemKey))).toBe("sealed");
  });

  test("the end and the start: the log's own end is what was found out", async () => {
    const one = await openExecutor(ONE);
    const call = await grantedCall();
    await pair.cutOff();
    const fence = await one.start(call);
    await one.durability.writeAhead.committed({ itemKey: call.itemKey, fence }, DONE);
    await one.ledger.end(call.itemKey, fence, DONE);
    await pair.failOver();
    await reopened(one);
    expect(await one.ledger.read(call.itemKey)).toMatchObject({ state: "EXECUTED", status: "ok" });
    expect(await pair.replica.redis.get(runKeys(call.run).result(call.itemKey))).toBe("sealed");
  });

  test("the start of an executor that died with it: another one's sweep finds it in the log", async () => {
    const [one, two] = [await openExecutor(ONE), await openExecutor(TWO)];
    const call = await grantedCall();
    await pair.cutOff();
    await one.start(call);
    await die(one);
    await pair.failOver();
    await reopened(two);
    expect(await stateOf(two, call)).toBe("OUTCOME_UNKNOWN");
    expect(two.durability.writeAhead.knownStart(call.itemKey, 1, ONE)).toBe(true);
    expect(await readdir(folder)).toEqual([TWO]);
  });

  test("leaves alone what lies beside the logs and is none", async () => {
    const foreign = ["lost+found", "mirrors", newRunId(), "one"].map((name) => path.join(folder, name));
    for (const place of foreign) {
      await mkdir(place);
      await writeFile(path.join(place, "kept"), "");
    }
    const one = await openExecutor(ONE);
    await pair.cutOff();
    await pair.failOver();
    await reopened(one);
    for (const place of foreign) expect(await readdir(place)).toEqual(["kept"]);
  });
});

describe("a failover and a lost disk", () => {
  test("make every granted call unknown that its executor may have begun, and no other", async () => {
    const [one, two] = [await openExecutor(ONE), await openExecutor(TWO)];
    const [lost, read, settled, others] = [
      await grantedCall(),
      await grantedCall("read"),
      await grantedCall(),
      await grantedCall(),
    ];
    const { redis } = pair.master;
    for (const call of [lost, read, settled, others]) {
      await redis.hset(runKeys(call.run).call(call.itemKey), { grantRecord: signedGrant(call) });
    }
    await redis.hset(runKeys(settled.run).call(settled.itemKey), { settled: "1" });
    expect(await two.claim(others)).toMatchObject({ kind: "claimed" });
    await pair.cutOff();
    await one.start(lost);
    await die(one);
    await rm(path.join(folder, ONE), { recursive: true });
    await pair.failOver();
    await reopened(two);
    expect(await stateOf(two, lost)).toBe("OUTCOME_UNKNOWN");
    expect(await two.claim(lost)).toMatchObject({ kind: "unknown" });
    expect(await stateOf(two, others)).toBe("CLAIMED");
    expect([await stateOf(two, read), await stateOf(two, settled)]).toEqual([undefined, undefined]);
    expect(two.told).toContainEqual({ event: "log_lost", count: 1, detail: ONE });
  });

  test("are told apart from a lost disk alone, of which Redis knows every start", async () => {
    const [one, two] = [await openExecutor(ONE), await openExecutor(TWO)];
    const call = await grantedCall();
    await two.redis.hset(runKeys(call.run).call(call.itemKey), { grantRecord: signedGrant(call) });
    await die(one);
    await rm(path.join(folder, ONE), { recursive: true });
    const three = await openExecutor(THREE);
    expect(await three.claim(call)).toMatchObject({ kind: "claimed" });
  });
});

describe("claims after a failover", () => {
  test("stay frozen until every log in use was held against Redis", async () => {
    const one = await openExecutor(ONE);
    const stuck = await openExecutor(`stuck${SUFFIX}`);
    const call = await grantedCall();
    await pair.cutOff();
    await stuck.start(call);
    stuck.redis.disconnect(); // it lives on, and can't reach the Redis that answers now
    await pair.failOver();
    await sleep(1_500);
    expect(await one.durability.enter()).toBeNull();
    expect(one.durability.check()).toMatchObject({ ok: false, detail: expect.stringContaining("stuck") });
    expect(await one.ledger.read(call.itemKey)).toBeNull();
    await die(stuck);
    await one.open();
    expect(await stateOf(one, call)).toBe("OUTCOME_UNKNOWN");
    expect(one.durability.check()).toMatchObject({ ok: true });
  });

  test("that were under way are noticed: what was entered before doesn't hold any more", async () => {
    const one = await openExecutor(ONE);
    const pass = await one.durability.enter();
    expect(pass?.still()).toBe(true);
    await pair.cutOff();
    await pair.failOver();
    await reopened(one);
    expect(pass?.still()).toBe(false);
  });
});

describe("an executor that starts", () => {
  test("ends what a dead one had written down as ended, and loses what it had only begun", async () => {
    const one = await openExecutor(ONE);
    const [ended, begun, unlogged] = [await grantedCall(), await grantedCall(), await grantedCall()];
    await one.start(ended);
    await one.durability.writeAhead.committed({ itemKey: ended.itemKey, fence: 1 }, DONE);
    await one.start(begun);
    await one.claim(unlogged);
    await one.durability.begin(unlogged.itemKey, 1, { expected: null });
    await die(one);
    const two = await openExecutor(TWO);
    expect([await stateOf(two, ended), await stateOf(two, begun), await stateOf(two, unlogged)]).toEqual([
      "EXECUTED",
      "OUTCOME_UNKNOWN",
      "STARTED",
    ]);
    const { writeAhead } = two.durability;
    expect(writeAhead.knownStart(begun.itemKey, 1, ONE)).toBe(true);
    expect(writeAhead.knownStart(unlogged.itemKey, 1, ONE)).toBe(false);
    expect(writeAhead.knownStart(begun.itemKey, 1, "nobody")).toBeNull();
    expect(two.durability.knownFence(begun.itemKey)).toBe(1);
  });

  test("is not needed for the log of a dead one: whoever meets its call takes the log over", async () => {
    const [one, two] = [await openExecutor(ONE), await openExecutor(TWO)];
    const call = await grantedCall();
    await one.start(call);
    await one.durability.writeAhead.committed({ itemKey: call.itemKey, fence: 1 }, DONE);
    await two.durability.adopt(ONE);
    expect([await stateOf(two, call), await readdir(folder)]).toEqual(["STARTED", [ONE, TWO]]);
    await die(one);
    await two.durability.adopt(ONE);
    expect([await stateOf(two, call), await readdir(folder)]).toEqual(["EXECUTED", [TWO]]);
  });

  test("keeps as evidence what comes after somebody else's fence", async () => {
    const one = await openExecutor(ONE);
    const call = await grantedCall();
    await one.start(call);
    await one.durability.writeAhead.committed({ itemKey: call.itemKey, fence: 1 }, DONE);
    await one.redis.hset(runKeys(call.run).ledger(call.itemKey), { state: "NEEDS_HUMAN", fence: 2 });
    await die(one);
    const two = await openExecutor(TWO);
    expect(await two.ledger.read(call.itemKey)).toMatchObject({
      state: "NEEDS_HUMAN",
      evidence: { fence: 1, status: "ok", contentDigest: DONE.contentDigest },
    });
  });
});

function lineOf({ itemKey }: TestCall) {
  const about = {
    grant: 1,
    digest: "d".repeat(64),
    tool: "write_file",
    effect: "mutating",
    owner: ONE,
  } as const;
  return { itemKey, ...about };
}
