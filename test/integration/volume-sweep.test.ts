import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createKeyrings, newRunId } from "@airlock/core/record";
import { DEFAULT_QUOTA, NO_REPOSITORIES, readRunDiff } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  sweepRemains,
  sweepRuns,
  sweepVolume,
  type SweepDeps,
} from "../../services/executor/src/sweep/sweep-volume.ts";
import { startVolumeSweeper } from "../../services/executor/src/sweep/volume-sweeper.ts";
import {
  defaultServiceUser,
  lockVolume,
  prepareWorkspace,
} from "../../services/executor/src/workspace/index.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { makeRepository } from "../support/repository.ts";

const keyrings = createKeyrings();
const never = new AbortController().signal;
const serviceUser = defaultServiceUser(process.geteuid?.() ?? 0);

let server: RedisServer;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let folder: string;
let deps: SweepDeps;
let logged: string[];

beforeAll(async () => {
  server = await startRedis();
  repository = await makeRepository();
});
afterAll(async () => {
  await repository.remove();
  await server.close();
});
beforeEach(async () => {
  await server.redis.flushall();
  folder = await mkdtemp(path.join(tmpdir(), "airlock-sweep-"));
  chmodSync(folder, 0o755);
  logged = [];
  deps = {
    redis: server.redis,
    keyring: keyrings.executor,
    repositories: NO_REPOSITORIES,
    pool: "default",
    volume: path.join(folder, "volume"),
    workspaceMs: 60_000,
    log: { write: (_, event) => void logged.push(event), decision: () => undefined },
  };
  return () => rm(folder, { recursive: true, force: true });
});

/** A run with a workspace that it wrote a file in. */
async function worked(): Promise<string> {
  const run = newRunId();
  const request = { volume: deps.volume, runId: run, source: repository.directory, ref: "main" };
  const { tree } = await prepareWorkspace({ ...request, serviceUser }, never);
  writeFileSync(path.join(tree, "NEW"), "new\n");
  const hash = { state: "running", route: "r", model: "m", policy: "p", requestedBy: "t", labels: "{}" };
  await server.redis.hset(runKeys(run).run, { ...hash, createdAt: 1, turn: 1, pool: "default" });
  return run;
}

async function end(run: string, agoMs = 0): Promise<void> {
  const endedAt = Date.now() - agoMs;
  await server.redis.hset(runKeys(run).run, { state: "completed", endedAt, keepUntil: Date.now() + 600_000 });
}

const treeOf = (run: string): string => path.join(deps.volume, run, "tree");
const diffOf = (run: string) => readRunDiff({ redis: server.redis, keyring: keyrings.client }, run);

test("a run that goes on, or in whose tree something may run, is left alone", async () => {
  const [open, held] = [await worked(), await worked()];
  await end(held, 120_000);
  const lease = { holder: `${held}.1.1.0`, holderUntil: Date.now() + 60_000 };
  await server.redis.hset(runKeys(held).workspace, lease);
  expect(await sweepRuns(deps, [open, held], never)).toEqual([held]);
  for (const run of [open, held]) {
    expect(readFileSync(path.join(treeOf(run), "NEW"), "utf8")).toBe("new\n");
    expect(await diffOf(run)).toBeNull();
  }
  await server.redis.hset(runKeys(held).workspace, "holderUntil", 1);
  expect(await sweepRuns(deps, [open, held], never)).toEqual([]);
  expect(await diffOf(held)).toMatchObject({ files: [{ path: "NEW", added: 1 }] });
  expect([existsSync(treeOf(open)), existsSync(treeOf(held))]).toEqual([true, false]);
});

test("an ended run's diff is taken once, kept as long as the run, and its tree goes after its time", async () => {
  const run = await worked();
  await end(run);
  await sweepVolume(deps, never);
  await sweepVolume(deps, never);
  expect(logged).toEqual(["run_diff_taken"]);
  expect(existsSync(treeOf(run))).toBe(true);
  const [kept, left] = [
    await server.redis.hget(runKeys(run).run, "keepUntil"),
    await server.redis.pexpiretime(runKeys(run).diff),
  ];
  expect(left).toBe(Number(kept));
  await sweepVolume({ ...deps, workspaceMs: 0 }, never);
  expect(await readdir(path.join(deps.volume, run))).toEqual(["workspace.json"]);
  expect(await diffOf(run)).toMatchObject({ files: [{ path: "NEW" }] });
});

test("the tree of a run stays while nobody knows what one of its calls did", async () => {
  const run = await worked();
  await end(run, 120_000);
  await server.redis.sadd(runKeys(run).unknown, `${run}.1.1.0`);
  await sweepVolume(deps, never);
  expect([(await diffOf(run))?.filesTotal, existsSync(treeOf(run))]).toEqual([1, true]);
  await server.redis.del(runKeys(run).unknown);
  await sweepVolume(deps, never);
  expect(existsSync(treeOf(run))).toBe(false);
});

test("a run that went on after its end has its diff taken anew at the next", async () => {
  const run = await worked();
  await end(run, 1_000);
  await sweepVolume(deps, never);
  await server.redis.hdel(runKeys(run).run, "endedAt");
  writeFileSync(path.join(treeOf(run), "LATER"), "more\n");
  await sweepVolume(deps, never);
  expect((await diffOf(run))?.filesTotal).toBe(1);
  await end(run);
  await sweepVolume(deps, never);
  expect((await diffOf(run))?.filesTotal).toBe(2);
});

test("a run that Redis does not know is marked, left for a day, and unmarked where it is known again", async () => {
  const run = await worked();
  const hash = await server.redis.hgetall(runKeys(run).run);
  await server.redis.flushall();
  const others = ["log", newRunId(), "r0"].map((name) => path.join(deps.volume, name));
  for (const place of others) mkdirSync(path.join(place, "kept"), { recursive: true });
  await sweepVolume({ ...deps, workspaceMs: 0 }, never);
  for (const place of others) expect(await readdir(place)).toEqual(["kept"]);
  const mark = path.join(deps.volume, run, "forgotten");
  expect([existsSync(mark), existsSync(treeOf(run))]).toEqual([true, true]);
  await server.redis.hset(runKeys(run).run, hash);
  await sweepVolume({ ...deps, workspaceMs: 0 }, never);
  expect([existsSync(mark), existsSync(treeOf(run))]).toEqual([false, true]);
  await server.redis.flushall();
  writeFileSync(mark, "");
  utimesSync(mark, new Date(0), new Date(0));
  await sweepVolume(deps, never);
  expect(existsSync(path.join(deps.volume, run))).toBe(false);
});

test("branches of gone runs leave the repository that they were committed to", async () => {
  const [kept, gone] = [await worked(), await worked()];
  for (const run of [kept, gone]) await end(run);
  const commit = { source: repository.directory, quota: DEFAULT_QUOTA, commit: true };
  await sweepVolume({ ...deps, repositories: () => commit }, never);
  await rm(path.join(deps.volume, gone), { recursive: true });
  await sweepRemains(deps, never);
  const folder = path.join(deps.volume, "commits");
  const [commits = ""] = await readdir(folder);
  const list = [`--git-dir=${path.join(folder, commits)}`, "for-each-ref", "--format=%(refname)"];
  expect(execFileSync("git", list, { encoding: "utf8" })).toBe(`refs/heads/airlock/${kept}\n`);
});

test("refs of gone runs leave the mirror, those of others stay", async () => {
  const [kept, gone] = [await worked(), await worked()];
  const [mirror = ""] = await readdir(path.join(deps.volume, "mirrors"));
  const refs = () => {
    const list = [
      `--git-dir=${path.join(deps.volume, "mirrors", mirror)}`,
      "for-each-ref",
      "--format=%(refname)",
    ];
    return execFileSync("git", list, { encoding: "utf8" });
  };
  expect(refs()).toContain(gone);
  await rm(path.join(deps.volume, gone), { recursive: true });
  await sweepRemains(deps, never);
  expect([refs().includes(kept), refs().includes(gone)]).toEqual([true, false]);
});

test("of what was prepared or begun long ago, what somebody holds stays, and so do lock files", async () => {
  const place = (...names: string[]): string => path.join(deps.volume, ...names);
  const [used, old, held, left] = ["aa", "bb", "cc", ".removing-dd.1"].map((name) => place("prepared", name));
  const begun = ["mirrors", "commits"].map((name) => place(name, "ee.git.building-r1.0"));
  const begins = place("mirrors", "ff.git.building-r2.0");
  for (const each of [used, old, held, left, ...begun, begins]) {
    mkdirSync(path.join(each ?? "", "0"), { recursive: true });
  }
  const locks = [old, held].map((each) => `${each}.lock`);
  for (const each of locks) writeFileSync(each, "");
  const long = new Date(Date.now() - 8 * 86_400_000);
  for (const each of [old, held, ...locks, ...begun]) utimesSync(each ?? "", long, long);
  const lock = await lockVolume(`${held}.lock`, { wait: false, signal: never });
  await sweepRemains(deps, never);
  expect((await readdir(place("prepared"))).toSorted()).toEqual([
    "aa",
    "aa.lock",
    "bb.lock",
    "cc",
    "cc.lock",
  ]);
  expect([await readdir(place("mirrors")), await readdir(place("commits"))]).toEqual([
    ["ff.git.building-r2.0"],
    [],
  ]);
  await lock?.release();
  await sweepRemains(deps, never);
  expect((await readdir(place("prepared"))).toSorted()).toEqual(["aa", "aa.lock", "bb.lock", "cc.lock"]);
  expect(logged).toEqual([]);
});

test("a tree that git can't compare is said to be one, and still goes", async () => {
  const run = await worked();
  const record = path.join(deps.volume, run, "workspace.json");
  const broken = { ...(JSON.parse(readFileSync(record, "utf8")) as object), baseRevision: "0".repeat(40) };
  writeFileSync(record, JSON.stringify(broken));
  await end(run, 120_000);
  await sweepVolume(deps, never);
  expect(await diffOf(run)).toMatchObject({
    filesTotal: 0,
    problems: [expect.stringContaining("read-tree")],
  });
  expect(existsSync(treeOf(run))).toBe(false);
});

test("one place that can't be looked after keeps no other from it", async () => {
  const [bad, good] = [await worked(), await worked()];
  writeFileSync(path.join(deps.volume, bad, "workspace.json"), "{");
  for (const run of [bad, good]) await end(run, 120_000);
  await sweepVolume(deps, never);
  expect([existsSync(treeOf(bad)), existsSync(treeOf(good))]).toEqual([true, false]);
  expect(logged).toContain("handler_failed");
});

test("a run that got no workspace has an empty diff, from an executor of its own pool alone", async () => {
  const run = newRunId();
  const hash = {
    state: "running",
    route: "r",
    model: "m",
    policy: "p",
    requestedBy: "t",
    labels: "{}",
    createdAt: 1,
  };
  await server.redis.hset(runKeys(run).run, { ...hash, pool: "default" });
  await end(run);
  await sweepRuns({ ...deps, pool: "other" }, [run], never);
  expect(await diffOf(run)).toBeNull();
  await sweepRuns(deps, [run], never);
  expect(await diffOf(run)).toMatchObject({ baseRevision: null, filesTotal: 0 });
});

test("of two sweepers on a volume one works at a time, and a lock goes with its process", async () => {
  mkdirSync(deps.volume);
  const file = path.join(deps.volume, ".sweeper.lock");
  const lock = await lockVolume(file, { wait: false, signal: never });
  expect(await lockVolume(file, { wait: false, signal: never })).toBeNull();
  const waiting = lockVolume(file, { wait: true, signal: never });
  await lock?.release();
  const next = await waiting;
  await next?.release();
  const stop = new AbortController();
  const run = await worked();
  await end(run, 120_000);
  const sweepers = [1, 2].map(() => startVolumeSweeper(deps, stop.signal));
  for (const sweeper of sweepers) sweeper.ended(run);
  while (existsSync(treeOf(run))) await new Promise(setImmediate);
  stop.abort();
  await Promise.all(sweepers.map(({ done }) => done));
  expect(logged.filter((event) => event === "run_diff_taken")).toHaveLength(1);
});
