import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { createLedger, type Ending, type Ledger } from "@airlock/core/ledger";
import { itemKey, newRunId } from "@airlock/core/record";
import { redisNow, runKeys } from "@airlock/core/store";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openLeases, type Lease, type Leases } from "../../services/executor/src/lease/index.ts";
import { processMarker } from "../../services/executor/src/sandbox/index.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";

const LEASE_MS = 1_500;
const OWNER = "executor-1";
const LATE: Ending = {
  transition: "commit",
  status: "ok",
  errorClass: null,
  detail: null,
  content: "sealed",
  contentDigest: "c".repeat(64),
  resultBytes: 3,
  durationMs: 4,
};

let server: RedisServer;
let ledger: Ledger;
let leases: Leases;
let item: string;
let lost: number;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.close());

beforeEach(async () => {
  await server.redis.flushall();
  ledger = createLedger(server.redis);
  const onFailure = (error: unknown): void => {
    throw error;
  };
  lost = 0;
  const onLost = (): void => void (lost += 1);
  const place = { owner: OWNER, leaseMs: LEASE_MS, redisUrl: server.url };
  leases = await openLeases({ ledger, ...place, onFailure, onLost });
  const run = newRunId();
  item = itemKey({ run, turn: 1, attempt: 1, ordinal: 0 });
  await server.redis.hset(runKeys(run).run, { state: "running" });
  await server.redis.hset(runKeys(run).call(item), { state: "POLICY_APPROVED", grant: 1 });
});
afterEach(() => leases.close());

/** A started call under a lease whose thread has already renewed it once. */
async function started(): Promise<Lease> {
  const now = await redisNow(server.redis);
  const askedAt = process.hrtime.bigint();
  const claim = {
    itemKey: item,
    owner: OWNER,
    leaseMs: 60_000,
    knownFence: 0,
    nonce: null,
    grant: 1,
    digest: "d".repeat(64),
  };
  const times = { expiresAt: now + 60_000, notAfter: now + 600_000 };
  expect(await ledger.claim({ ...claim, ...times, tool: "run_command", effect: "mutating" })).toMatchObject({
    kind: "claimed",
    fence: 1,
  });
  expect(await ledger.begin(item, 1, { expected: null })).toBe("started");
  const lease = leases.keep({ itemKey: item, fence: 1, askedAt });
  const first = (await ledger.read(item))?.leaseUntil;
  while ((await ledger.read(item))?.leaseUntil === first) await sleep(10);
  return lease;
}

/** Stands in for a sandbox: what is looked for is the name. */
function sandboxOf(name: string): ReturnType<typeof spawn> {
  return spawn("sleep", ["600"], { argv0: processMarker(name), stdio: "ignore" });
}

/** The main loop does nothing else meanwhile. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe("a lease", () => {
  test("is kept for as long as the main loop turns", async () => {
    const lease = await started();
    await sleep(LEASE_MS * 3);
    expect([lease.alive(), await lease.holds(), lease.signal.aborted]).toEqual([true, true, false]);
    expect(lost).toBe(0);
    lease.stop();
  });

  test("is lost by a main loop that stands still: its sandbox dies meanwhile, and its end comes too late", async () => {
    const lease = await started();
    const sandbox = sandboxOf(`${item}.1`);
    const exited = once(sandbox, "exit");
    block(LEASE_MS * 2.5);
    // not one turn of the loop has gone by: what is dead now died without it
    expect(lease.alive()).toBe(false);
    await exited;
    expect(sandbox.signalCode).toBe("SIGKILL");
    expect(await lease.holds()).toBe(false);
    while (!lease.signal.aborted) await sleep(5);
    expect(lost).toBe(1);
    const entry = await ledger.read(item);
    expect(entry?.leaseUntil).toBeLessThan(await redisNow(server.redis));
    // somebody else finds out what became of it; the revived one has nothing to say any more
    const now = await redisNow(server.redis);
    const claim = {
      itemKey: item,
      owner: "executor-2",
      leaseMs: 60_000,
      knownFence: 0,
      nonce: null,
      grant: 1,
      digest: "d".repeat(64),
    };
    const times = { expiresAt: now + 60_000, notAfter: now + 600_000 };
    const found = await ledger.claim({ ...claim, ...times, tool: "run_command", effect: "mutating" });
    expect(found).toMatchObject({ kind: "unknown" });
    expect(await ledger.end(item, 1, LATE)).toBe(false);
    expect(
      await ledger.keepEvidence(item, { fence: 1, status: "ok", contentDigest: LATE.contentDigest }),
    ).toBe(true);
    expect(await ledger.read(item)).toMatchObject({
      state: "OUTCOME_UNKNOWN",
      evidence: { fence: 1, status: "ok", contentDigest: LATE.contentDigest },
    });
  });

  test("ends by the clock where Redis is away, and with the sandbox of its call", async () => {
    const lease = await started();
    const sandbox = sandboxOf(`${item}.1`);
    const exited = once(sandbox, "exit");
    await server.kill();
    await exited;
    while (!lease.signal.aborted) await sleep(5);
    expect(lease.alive()).toBe(false);
    await server.start();
  });

  test("that was let go is not renewed any more", async () => {
    const lease = await started();
    lease.stop();
    await sleep(LEASE_MS / 2);
    const before = (await ledger.read(item))?.leaseUntil;
    await sleep(LEASE_MS);
    expect((await ledger.read(item))?.leaseUntil).toBe(before);
  });
});
