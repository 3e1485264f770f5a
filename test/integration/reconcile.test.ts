import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Queue } from "bullmq";
import { executionBodySchema, resolutionBodySchema, resultBodySchema } from "@airlock/core/contract";
import { createLedger, type Ledger, type LedgerEntry } from "@airlock/core/ledger";
import { createPublisher, queuePrefix, type Handled, type Publisher } from "@airlock/core/queue";
import { createKeyrings, itemKey, newRunId, openSealed } from "@airlock/core/record";
import { globalKeys, redisNow, runKeys } from "@airlock/core/store";
import { BUILTIN_MANIFESTS, createCatalog } from "@airlock/core/tool";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Deps } from "../../services/executor/src/deps.ts";
import {
  onResolution,
  ownerName,
  reconcileCall,
  sealExpected,
} from "../../services/executor/src/reconcile/index.ts";
import { MARK_VARIABLE, processMarker } from "../../services/executor/src/sandbox/index.ts";
import { TOOL_BODIES } from "../../services/executor/src/tools/index.ts";
import { expectFiles, plainFile } from "../../services/executor/src/tools/file-states.ts";
import {
  SERVICE_USER,
  treeFixture,
  type TreeFixture,
} from "../../services/executor/test/workspace/fixture.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { noMetrics } from "../support/no-metrics.ts";

const DIGEST = "a".repeat(64);
const BEFORE = "before\n";
const AFTER = "after\n";
const keyrings = createKeyrings();
const never = new AbortController().signal;

let server: RedisServer;
let ledger: Ledger;
let publisher: Publisher;
let results: Queue;
let tree: TreeFixture;
let item: string;
/** the names under which sandboxes were looked for, and whether what they run dies */
let killed: string[];
let dies: boolean;
let counts: unknown[];

beforeAll(async () => {
  server = await startRedis();
  publisher = createPublisher({ redis: server.redis, keyring: keyrings.executor });
  results = new Queue("results", { connection: server.redis, prefix: queuePrefix("results") });
});
afterAll(async () => {
  await results.close();
  await publisher.close();
  await server.close();
});

beforeEach(async () => {
  await server.redis.flushall();
  ledger = createLedger(server.redis);
  item = itemKey({ run: newRunId(), turn: 1, attempt: 1, ordinal: 0 });
  await server.redis.hset(runKeys(runOf()).run, { state: "running" });
  await server.redis.hset(runKeys(runOf()).call(item), { state: "POLICY_APPROVED", grant: 1 });
  tree = await treeFixture();
  killed = [];
  dies = true;
  counts = [];
});

const runOf = (): string => item.split(".")[0] ?? "";

/** The executor's parts, with a sandbox that only tells whom it was asked to kill. */
function executor(change: Partial<Deps> = {}): Deps {
  const backend = {
    kill: (name: string) => {
      killed.push(name);
      return Promise.resolve(dies);
    },
  } as NonNullable<Deps["sandbox"]>["backend"];
  const held = new Set(["fs", "pids", "net", "limits", "kill"]) as never;
  return {
    config: { leaseMs: 30_000 },
    redis: server.redis,
    repositories: () => null,
    keyring: keyrings.executor,
    ledger,
    publisher,
    catalog: createCatalog(BUILTIN_MANIFESTS),
    bodies: TOOL_BODIES,
    log: { write: () => undefined, decision: () => undefined },
    metrics: noMetrics((...counted) => void counts.push(counted)),
    sandbox: { backend, probe: { held, detail: {} } },
    serviceUser: SERVICE_USER,
    workspaces: () => Promise.resolve(tree.workspace),
    durability: logs(() => null),
    owner: ownerName(),
    ...change,
  } as unknown as Deps;
}

function grant(tool = "write_file") {
  return executionBodySchema.parse({
    version: 1,
    run: runOf(),
    itemKey: item,
    grant: 1,
    tool,
    manifestDigest: DIGEST,
    effect: "mutating",
    argumentsDigest: DIGEST,
    policy: "p",
    policyDigest: DIGEST,
    workspace: { source: "/srv/app", ref: "main" },
    pool: "default",
    expiresAt: 1,
    notAfter: 2,
  });
}

/** The write-ahead logs in an executor's hands, with what they say of a start. */
function logs(knownStart: Deps["durability"]["writeAhead"]["knownStart"]): Deps["durability"] {
  return { adopt: () => Promise.resolve(), writeAhead: { knownStart } } as unknown as Deps["durability"];
}

/** A call that `owner` began and whose lease is over: its file was to become AFTER. */
async function lose(owner: string, tool = "write_file"): Promise<void> {
  const now = await redisNow(server.redis);
  const claimed = {
    itemKey: item,
    owner,
    leaseMs: 60_000,
    knownFence: 0,
    nonce: null,
    grant: 1,
    digest: DIGEST,
    tool,
  } as const;
  const request = {
    ...claimed,
    effect: "mutating",
    expiresAt: now + 60_000,
    notAfter: now + 60_000,
  } as const;
  expect(await ledger.claim(request)).toMatchObject({ kind: "claimed", fence: 1 });
  const [before, after] = [BEFORE, AFTER].map((text) => plainFile(Buffer.from(text), false));
  const expected = expectFiles([{ path: "a.txt", before: before ?? null, after: after ?? null }]);
  await ledger.begin(item, 1, { expected: sealExpected(keyrings.executor, item, expected) });
  await server.redis.hset(runKeys(runOf()).ledger(item), "leaseUntil", now - 1);
  expect(await ledger.claim(request)).toEqual({ kind: "unknown", fence: 1 });
}

async function unknownSince(ms: number): Promise<void> {
  await server.redis.hset(runKeys(runOf()).ledger(item), "unknownAt", (await redisNow(server.redis)) - ms);
}

function content(text: string): void {
  writeFileSync(path.join(tree.tree, "a.txt"), text, { mode: 0o644 });
}

async function entry(): Promise<LedgerEntry | null> {
  return ledger.read(item);
}

async function published() {
  const jobs = await results.getJobs(["waiting", "delayed", "prioritized"]);
  return jobs.map((job) => {
    const { record } = job.data as { readonly record: { readonly body: string } };
    return resultBodySchema.parse(JSON.parse(record.body));
  });
}

const DONE = { kind: "done" };

describe("a write whose end nobody saw", () => {
  test("is executed where the file is as it was to become; the outcome says that it was recovered", async () => {
    const deps = executor();
    await lose(deps.owner);
    content(AFTER);
    expect(await reconcileCall(deps, grant(), never)).toEqual(DONE);
    expect(await entry()).toMatchObject({ state: "EXECUTED", status: "ok", fence: 2 });
    expect(await published()).toMatchObject([{ state: "EXECUTED", status: "ok", errorClass: null }]);
    const place = runKeys(runOf()).result(item);
    const sealed = (await server.redis.get(place)) ?? "";
    const told: unknown = JSON.parse(openSealed(keyrings.validator, { seal: "calls", place }, sealed));
    expect(told).toMatchObject({ status: "ok", recovered: true });
    expect(killed).toEqual([`${item}.1`]);
    expect(await server.redis.zcard(globalKeys.unknowns)).toBe(0);
  });

  test("did not run where the file is as it was", async () => {
    const deps = executor();
    await lose(deps.owner);
    content(BEFORE);
    expect(await reconcileCall(deps, grant(), never)).toEqual(DONE);
    expect(await published()).toMatchObject([{ state: "NOT_EXECUTED", errorClass: "NOT_EXECUTED" }]);
  });

  test("is a person's to find out where the file is a third thing: unknown is what is published", async () => {
    const deps = executor();
    await lose(deps.owner);
    content("a third thing\n");
    expect(await reconcileCall(deps, grant(), never)).toEqual(DONE);
    expect(await entry()).toMatchObject({ state: "NEEDS_HUMAN", published: true });
    expect(await published()).toMatchObject([{ state: "OUTCOME_UNKNOWN", status: "unknown" }]);
    expect(await server.redis.zrange(globalKeys.unknowns, 0, "-1")).toEqual([item]);
    expect(counts).toEqual([["airlock_calls_reconciled_total", { finding: "inconclusive" }]]);
  });

  test("did not run where the write-ahead log of its executor tells of no start, whatever the file says", async () => {
    const asked: unknown[] = [];
    const durability = logs((...start) => {
      asked.push(start);
      return false;
    });
    const deps = executor({ durability });
    await lose(deps.owner);
    content(AFTER);
    await reconcileCall(deps, grant(), never);
    expect(asked).toEqual([[item, 1, deps.owner]]);
    expect(killed).toEqual([`${item}.1`]); // and no sandbox
    expect(await published()).toMatchObject([{ state: "NOT_EXECUTED" }]);
  });

  test("of a tool without a probe is a person's at once", async () => {
    const deps = executor();
    await lose(deps.owner, "run_command");
    expect(await reconcileCall(deps, grant("run_command"), never)).toEqual(DONE);
    expect(await entry()).toMatchObject({ state: "NEEDS_HUMAN" });
  });
});

describe("an executor that can't see the one dead that began the call", () => {
  const elsewhere = `other_${"0".repeat(12)}_1-1_00000000-0000-0000-0000-000000000000`;

  test("on another host waits for the lease's end and a margin", async () => {
    const deps = executor();
    await lose(elsewhere);
    content(AFTER);
    expect(await reconcileCall(deps, grant(), never)).toMatchObject({ kind: "later" });
    await unknownSince(4_000);
    expect(await reconcileCall(deps, grant(), never)).toMatchObject({ kind: "later" });
    expect(await entry()).toMatchObject({ state: "OUTCOME_UNKNOWN" });
    expect(killed).toEqual([]);
    await unknownSince(5_000);
    await server.redis.hset(runKeys(runOf()).ledger(item), "leaseUntil", 1);
    expect(await reconcileCall(deps, grant(), never)).toEqual(DONE);
    expect(await published()).toMatchObject([{ state: "EXECUTED" }]);
  });

  test("beside it waits while that one's process lives, and not once it is gone", async () => {
    const deps = executor();
    const neighbour = spawn("sleep", ["1000"]);
    onTestFinished(() => void neighbour.kill("SIGKILL"));
    await lose(ownerOf(neighbour, deps.owner));
    content(AFTER);
    expect(await reconcileCall(deps, grant(), never)).toMatchObject({ kind: "later" });
    const gone = new Promise((resolve) => neighbour.once("exit", resolve));
    neighbour.kill("SIGKILL");
    await gone;
    expect(await reconcileCall(deps, grant(), never)).toEqual(DONE);
  });

  test("leaves it to the one that reconciles, and takes it up when that one's lease is over", async () => {
    const deps = executor();
    await lose(deps.owner);
    content(AFTER);
    const dead = await ledger.reconcile(item, { owner: deps.owner, leaseMs: 60_000 });
    expect(dead).toMatchObject({ kind: "reconciling", fence: 2 });
    expect(await reconcileCall(deps, grant(), never)).toMatchObject({ kind: "later" });
    await server.redis.hset(runKeys(runOf()).ledger(item), "leaseUntil", 1);
    expect(await reconcileCall(deps, grant(), never)).toEqual(DONE);
    // it is the first start that has to be dead, and only the last reconciler's word that counts
    expect(killed).toEqual([`${item}.1`]);
    expect(await ledger.conclude(item, 2, { finding: "not_executed" })).toBe(false);
    expect(await entry()).toMatchObject({
      state: "EXECUTED",
      fence: 3,
      lost: { owner: deps.owner, fence: 1 },
    });
  });
});

describe("finding out", () => {
  test("ends after a minute, without a probe", async () => {
    const deps = executor();
    await lose(deps.owner);
    content(AFTER);
    await unknownSince(60_000);
    expect(await reconcileCall(deps, grant(), never)).toEqual(DONE);
    expect(killed).toEqual([`${item}.1`]); // whoever looks next must find nothing that runs
    expect(await published()).toMatchObject([{ state: "OUTCOME_UNKNOWN" }]);
  });

  test("probes nothing as long as the sandbox would not die, and gives up in time", async () => {
    dies = false;
    const deps = executor();
    await lose(deps.owner);
    content(AFTER);
    await unknownSince(57_000);
    expect(await reconcileCall(deps, grant(), never)).toEqual(DONE);
    expect(killed.length).toBeGreaterThan(1);
    expect(await published()).toMatchObject([{ state: "OUTCOME_UNKNOWN" }]);
  });

  const none = { backend: { name: "none", kill: () => Promise.resolve(false) }, probe: { held: new Set() } };
  test.each([
    ["without a sandbox", null],
    ["with the sandbox switched off", none as unknown as Deps["sandbox"]],
  ])("ends what a call runs outside of every sandbox, by its name, also %s", async (_, sandbox) => {
    const deps = executor({ sandbox });
    await lose(deps.owner);
    content(AFTER);
    const env = { [MARK_VARIABLE]: processMarker(`${item}.1`) };
    const left = spawn("/bin/sleep", ["1000"], { env });
    onTestFinished(() => void left.kill("SIGKILL"));
    const ended = new Promise((resolve) => left.once("exit", (_code, signal) => resolve(signal)));
    await reconcileCall(deps, grant(), never);
    expect(await ended).toBe("SIGKILL");
  });

  test("goes on where the workspace can't be opened at first", async () => {
    let fails = 1;
    const workspaces: Deps["workspaces"] = () => {
      fails -= 1;
      return fails < 0
        ? executor().workspaces(grant(), never)
        : Promise.reject(new Error("the volume is away"));
    };
    const deps = executor({ workspaces });
    await lose(deps.owner);
    content(AFTER);
    expect(await reconcileCall(deps, grant(), never)).toEqual(DONE);
    expect(await published()).toMatchObject([{ state: "EXECUTED" }]);
  });

  test("that is cut short by a stop of the service concludes nothing", async () => {
    const deps = executor();
    await lose(deps.owner);
    content(AFTER);
    expect(await reconcileCall(deps, grant(), AbortSignal.abort())).toMatchObject({ kind: "later" });
    expect(await entry()).toMatchObject({ state: "RECONCILING" });
    expect(await published()).toEqual([]);
  });
});

describe("a person's finding", () => {
  async function resolve(finding: "executed" | "not_executed", reason: string): Promise<Handled> {
    const id = newRunId().slice(1);
    const body = resolutionBodySchema.parse({
      version: 1,
      run: runOf(),
      id,
      itemKey: item,
      pool: "default",
      finding,
      by: "ana",
      reason,
    });
    const validator = createPublisher({ redis: server.redis, keyring: keyrings.validator });
    const record = validator.sign({ purpose: "resolution", body });
    await validator.close();
    return onResolution(executor(), { body, record, signal: never });
  }

  async function answers(): Promise<readonly (readonly [string, boolean])[]> {
    const found = await published();
    return found.flatMap((body) => (body.kind === "resolved" ? [[body.reason, body.done] as const] : []));
  }

  test("ends a call that waits for it, once; the first one counts and the same one again is fine", async () => {
    const deps = executor();
    await lose(deps.owner, "run_command");
    await reconcileCall(deps, grant("run_command"), never);
    expect(await server.redis.scard(runKeys(runOf()).frozen)).toBe(1);
    await resolve("executed", "I saw it");
    await resolve("not_executed", "I saw nothing");
    await resolve("executed", "I saw it");
    expect(await entry()).toMatchObject({
      state: "EXECUTED",
      resolution: { finding: "executed", by: "ana", reason: "I saw it" },
    });
    const said = (await answers()).map(([reason, done]) => `${reason}: ${done}`).toSorted();
    expect(said).toEqual(["I saw it: true", "I saw it: true", "I saw nothing: false"]);
    expect(await server.redis.scard(runKeys(runOf()).frozen)).toBe(0);
    expect(await server.redis.zcard(globalKeys.unknowns)).toBe(0);
  });

  test("changes nothing of a call that the executors still look at", async () => {
    await lose(executor().owner);
    await resolve("executed", "I guess");
    expect(await entry()).toMatchObject({ state: "OUTCOME_UNKNOWN" });
    expect(await answers()).toEqual([["I guess", false]]);
  });
});

/** The owner's name of another process beside ours. */
function ownerOf({ pid = 0 }: ChildProcess, ours: string): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  return ours.replace(/_\d+-\d+_/, `_${pid}-${started}_`);
}
