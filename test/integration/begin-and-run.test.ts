import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { itemKey, newRunId } from "@airlock/core/record";
import { redisNow, runKeys } from "@airlock/core/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { beginAndRun, type BegunCall } from "../../services/executor/src/call/run-begun.ts";
import type { Deps } from "../../services/executor/src/deps.ts";
import type { Lease } from "../../services/executor/src/lease/index.ts";
import { succeed } from "../../services/executor/src/tools/tool-body.ts";
import {
  DIGEST,
  grantCall,
  startDurableExecutor,
  type DurableExecutor,
  type TestCall,
} from "../support/durable-executor.ts";
import { startRedis, type RedisOptions, type RedisServer } from "../support/redis-server.ts";
import { waitaofServer } from "../support/waitaof-server.ts";

let server: RedisServer;
let folder: string;
let executor: DurableExecutor;
let published: unknown[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "airlock-begin-"));
  published = [];
});
afterEach(async () => {
  await executor.die();
  await server.close();
  await rm(folder, { recursive: true });
});

async function start(options: RedisOptions & { readonly replicas?: number; readonly leaseMs?: number } = {}) {
  server = await startRedis(options);
  executor = await startDurableExecutor({ url: server.url, folder, owner: "one", ...options });
  await executor.open();
}

interface Ran {
  readonly call: TestCall;
  readonly left: Promise<string>;
  /** how often the tool ran */
  readonly runs: () => number;
}

async function beginning(
  during: () => Promise<void> = () => Promise.resolve(),
  lease: Partial<Lease> = {},
): Promise<Ran> {
  const run = newRunId();
  const key = itemKey({ run, turn: 1, attempt: 1, ordinal: 0 });
  const call: TestCall = { run, itemKey: key, now: await redisNow(server.redis) };
  await grantCall(server.redis, call);
  const claimed = await executor.claim(call);
  if (claimed.kind !== "claimed") throw new Error(claimed.kind);
  const pass = await executor.durability.enter();
  if (pass === null) throw new Error("frozen");
  let runs = 0;
  const { owner, ledger, durability, keyring, redis } = executor;
  const log = { write: () => undefined, decision: () => undefined };
  const publisher = {
    sign: (message: { body: unknown }) => message.body,
    publish: (body: unknown) => Promise.resolve(void published.push(body)),
  };
  const deps = { owner, ledger, durability, keyring, redis, log, publisher } as unknown as Deps;
  const begun: BegunCall = {
    grant: {
      run,
      itemKey: key,
      grant: 1,
      argumentsDigest: DIGEST,
      tool: "write_file",
      effect: "mutating",
    } as BegunCall["grant"],
    fence: claimed.fence,
    pass,
    sandbox: null,
    lease: {
      signal: new AbortController().signal,
      alive: () => true,
      holds: () => Promise.resolve(true),
      stop: () => undefined,
      ...lease,
    },
    plan: {
      kind: "ready",
      expected: { after: "content" },
      async run() {
        runs += 1;
        await during();
        return succeed({ done: true });
      },
    },
  };
  return {
    call,
    left: beginAndRun(deps, begun, new AbortController().signal).then(({ kind }) => kind),
    runs: () => runs,
  };
}

const entryOf = (call: TestCall) => executor.ledger.read(call.itemKey);
const loggedCalls = async () => [...(await executor.durability.writeAhead.read()).values()];

describe("a call with effects", () => {
  test("is in the log before it runs, and its end before Redis has it", async () => {
    await start();
    let seen: readonly unknown[] = [];
    const ran = await beginning(async () => {
      const [logged] = await loggedCalls();
      seen = [logged?.committed, executor.durability.writeAhead.running(ran.call.itemKey)];
    });
    expect(await ran.left).toBe("ended");
    expect(seen).toEqual([null, true]);
    const [logged] = await loggedCalls();
    const entry = await entryOf(ran.call);
    expect(entry).toMatchObject({
      state: "EXECUTED",
      contentDigest: logged?.committed?.ending.contentDigest,
    });
    expect(JSON.stringify([logged, entry])).not.toContain('\\"after\\"');
  });

  test("that ends after its lease leaves evidence, and no end", async () => {
    await start();
    const ran = await beginning(undefined, { alive: () => false });
    expect(await ran.left).toBe("ended");
    expect(await entryOf(ran.call)).toMatchObject({ state: "STARTED", evidence: { fence: 1, status: "ok" } });
  });
});

describe("where the log can't take a start", () => {
  test("nothing runs and the call goes back; the next one is refused before it begins", async () => {
    await start();
    await rm(path.join(folder, "one"), { recursive: true });
    await executor.durability.writeAhead.close(); // a file that takes no line any more, and no place for another
    const ran = await beginning();
    expect(await ran.left).toBe("given_back");
    expect(ran.runs()).toBe(0);
    expect(await entryOf(ran.call)).toMatchObject({ state: "POLICY_APPROVED" });
    expect(published).toMatchObject([{ kind: "regrant", errorClass: "DURABILITY_UNAVAILABLE" }]);
    expect(executor.durability.check()).toMatchObject({ ok: false });
    expect(await executor.durability.refusal()).toContain("write-ahead log");
  });
});

describe("a full disk", () => {
  /** Files of this process grow no further than that; only root may raise the hard limit again, so it stays. */
  const growTo = (limit: string) =>
    execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${limit}:`]);
  afterEach(() => growTo("unlimited"));

  test("lets nothing run, is told of, and is tried anew for each call until there is room", async () => {
    await start();
    growTo("10");
    const ran = await beginning();
    expect(await ran.left).toBe("given_back");
    expect(ran.runs()).toBe(0);
    expect(await executor.durability.refusal()).toContain("can't be written: EFBIG");
    expect(executor.durability.check()).toMatchObject({ ok: false });
    growTo("unlimited");
    expect(await executor.durability.refusal()).toBeNull();
    expect(executor.durability.check()).toMatchObject({ ok: true });
    const next = await beginning();
    expect(await next.left).toBe("ended");
    expect(await loggedCalls()).toMatchObject([{ started: { itemKey: next.call.itemKey }, committed: {} }]);
  });
});

describe("a full Redis", () => {
  const full = () => server.redis.config("SET", "maxmemory", "1");
  const roomy = () => server.redis.config("SET", "maxmemory", "0");

  test("takes no start: nothing runs", async () => {
    await start();
    const during = await beginningWhile(full);
    expect(during.runs).toBe(0);
    await roomy();
    expect(await entryOf(during.call)).toMatchObject({ state: "CLAIMED" });
    expect(await loggedCalls()).toEqual([]);
  });

  async function beginningWhile(change: () => Promise<unknown>) {
    const { durability } = executor;
    const begin: typeof durability.begin = async (...args) => {
      await change();
      return durability.begin(...args);
    };
    executor = { ...executor, durability: { ...durability, begin } };
    const ran = await beginning();
    await expect(ran.left).rejects.toThrow("OOM");
    return { call: ran.call, runs: ran.runs() };
  }

  test("takes no end: the log has it, readiness says so, and Redis gets it once there is room", async () => {
    await start();
    const ran = await beginning(async () => void (await full()));
    while (executor.durability.check().ok) await sleep(10);
    expect(executor.durability.check().detail).toBe("Redis does not take the ends of 1 calls");
    const [logged] = await loggedCalls();
    expect(logged?.committed?.ending.status).toBe("ok");
    await roomy();
    expect(await ran.left).toBe("ended");
    expect(await entryOf(ran.call)).toMatchObject({ state: "EXECUTED", status: "ok" });
    expect(executor.durability.check()).toMatchObject({ ok: true });
    expect(await server.redis.get(runKeys(ran.call.run).result(ran.call.itemKey))).not.toBeNull();
  });
});

const program = waitaofServer();
describe.skipIf(program === null)(
  "the barrier (needs a server with WAITAOF: AIRLOCK_TEST_REDIS_SERVER)",
  () => {
    const everysec = { program: program ?? "", appendfsync: "everysec" } as const;

    test("waits for the disk where Redis writes every second, and calls that begin together share a wait", async () => {
      await start(everysec);
      expect(executor.durability.check().detail).toBe("appendfsync everysec, WAITAOF 1 0");
      const many = await Promise.all(Array.from({ length: 8 }, () => beginning()));
      expect(await Promise.all(many.map((ran) => ran.left))).toEqual(many.map(() => "ended"));
      const stats = await server.redis.info("commandstats");
      const asked = Number(/cmdstat_waitaof:calls=(\d+)/.exec(stats)?.[1]);
      expect(asked).toBeGreaterThan(0);
      expect(asked).toBeLessThan(8);
    });

    test("that is short keeps the call from running: it is asked for half a lease, then the call goes back", async () => {
      await start({ ...everysec, replicas: 1, leaseMs: 1_500 });
      const ran = await beginning();
      expect(await ran.left).toBe("given_back");
      expect(ran.runs()).toBe(0);
      expect(await entryOf(ran.call)).toMatchObject({ state: "POLICY_APPROVED" });
      expect(published).toMatchObject([{ kind: "regrant", errorClass: "DURABILITY_UNAVAILABLE" }]);
      expect(await loggedCalls()).toEqual([]);
      const stats = await server.redis.info("commandstats");
      expect(Number(/cmdstat_waitaof:calls=(\d+)/.exec(stats)?.[1])).toBeGreaterThan(1);
    });

    test("that was asked of another Redis than began the call doesn't count", async () => {
      await start(everysec);
      await server.redis.config("SET", "appendfsync", "no"); // nothing reaches the disk by itself
      const ran = await beginning();
      while ((await entryOf(ran.call))?.state !== "STARTED") await sleep(5);
      await server.kill();
      await server.start();
      // the question is sent again over the new connection, which wrote nothing that it could wait for
      expect(await ran.left).toBe("ended");
      expect(ran.runs()).toBe(0);
    });
  },
);
