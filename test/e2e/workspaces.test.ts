import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { createLedger } from "@airlock/core/ledger";
import { readCall, readRun } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listPools, readDiffDocument } from "@airlock/operator/document";
import { ROOT, startCell, type Cell } from "../support/cell.ts";
import { makeRepository } from "../support/repository.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";

const git = promisify(execFile);

/** Seconds that no other process sleeps for: what a sandbox left behind is found by them. */
const ASLEEP = 765_431;
const HANG = `#!/bin/bash\nsleep ${ASLEEP} & setsid sleep ${ASLEEP} & sleep ${ASLEEP}\n`;
const TOOLS = ["write_file", "hang"];
const POLICY = `apiVersion: airlock.policy/v1
mode: enforce
paths: { read: { allow: ["**"] }, write: { allow: ["**"] } }
rules:
  - { id: write, decision: allow, tool: write_file }
  - { id: hang, decision: allow, tool: hang }
`;

let cell: Cell;
let folder: string;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "airlock-workspaces-"));
  await chmod(folder, 0o755);
  const program = path.join(folder, "hang");
  await writeFile(program, HANG);
  await chmod(program, 0o755);
  const place = { type: "string", description: "What it says it writes." };
  const manifest = {
    apiVersion: "airlock.tool/v1",
    name: "hang",
    description: "Hangs.",
    inputSchema: {
      type: "object",
      additionalProperties: false,
      required: ["path"],
      properties: { path: place },
    },
    effect: "mutating",
    claims: { writes: ["path"] },
    limits: { timeoutMs: 120_000 },
    command: [program],
  };
  await mkdir(path.join(folder, "tools"));
  await writeFile(path.join(folder, "tools/hang.json"), JSON.stringify(manifest));
  await cp(path.join(ROOT, "config/policies"), path.join(folder, "policies"), { recursive: true });
  await writeFile(path.join(folder, "policies/workspaces.yaml"), POLICY);
  repository = await makeRepository();
  const entry = { source: repository.directory, commit: true };
  const repositories = { apiVersion: "airlock.repositories/v1", repositories: [entry] };
  await writeFile(path.join(folder, "repositories.yaml"), JSON.stringify(repositories));
  fixtures = await writeFixtures({
    writes: [[call("write_file", { path: "NEW.md", content: "new\n" })], [REPORT]],
    hangs: [[call("hang", { path: "a" }), call("hang", { path: "b" })], [REPORT]],
  });
  cell = await startCell({
    fixtures: fixtures.directory,
    sources: [repository.directory],
    env: {
      AIRLOCK_TOOLS: path.join(folder, "tools"),
      AIRLOCK_POLICIES: path.join(folder, "policies"),
      AIRLOCK_REPOSITORIES: path.join(folder, "repositories.yaml"),
      AIRLOCK_WORKSPACE_MS: "0",
      AIRLOCK_LEASE_MS: "20000",
    },
    services: ["streamer", "validator", "executor", "executor-2"],
  });
  await cell.trustRoute();
});

afterAll(async () => {
  await cell.close();
  await fixtures.remove();
  await repository.remove();
  await rm(folder, { recursive: true, force: true });
});

function submit(name: string): Promise<string> {
  return cell.submit(specOf(name, repository.directory, { policy: "workspaces", tools: TOOLS }));
}

async function until<Value>(look: () => Promise<Value>, holds: (value: Value) => boolean): Promise<Value> {
  for (const deadline = Date.now() + 45_000; ; await sleep(50)) {
    const value = await look();
    if (holds(value)) return value;
    if (Date.now() > deadline) throw new Error(`not so: ${JSON.stringify(value)}; logs in ${cell.directory}`);
  }
}

const diffOf = (run: string) => readDiffDocument({ redis: cell.redis, keyring: cell.keyrings.client }, run);

test("a run's diff is taken at its end, committed, and its tree removed", async () => {
  const run = await submit("writes");
  expect(await cell.ended(run)).toMatchObject({ state: "completed", pool: "default" });
  const document = await until(
    () => diffOf(run),
    ({ status }) => status === "taken",
  );
  expect(document.diff).toMatchObject({
    files: [{ path: "NEW.md", added: 1, deleted: 0 }],
    problems: [],
    branch: `airlock/${run}`,
  });
  expect(document.diff?.text).toContain("+new\n");
  expect(await cell.redis.pttl(runKeys(run).diff)).toBeGreaterThan(0);
  await until(
    () => readdir(path.join(cell.volume, run)),
    (names) => names.join() === "workspace.json",
  );
  const folder = path.join(cell.volume, "commits");
  const [commits = ""] = await readdir(folder);
  const log = ["log", "-1", "--format=%(trailers:only)", `airlock/${run}`];
  const { stdout } = await git("git", [`--git-dir=${path.join(folder, commits)}`, ...log]);
  expect(stdout.trim().split("\n")).toEqual([`Airlock-Run: ${run}`, `Airlock-Item: ${run}.1.1.0`]);
});

const inOrder = (a: string, b: string): number => a.localeCompare(b);

/** Processes of this machine that sleep as only the hanging tool does. */
async function asleep(): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line === `sleep\0${ASLEEP}\0`).length;
}

test("a cancel kills the tree of what runs, and ends what had not begun, each once", async () => {
  const run = await submit("hangs");
  await until(asleep, (count) => count === 3);
  const items = [`${run}.1.1.0`, `${run}.1.1.1`];
  const calls = () => Promise.all(items.map((item) => readCall(cell.redis, item)));
  await until(calls, (found) => found.every((each) => each?.grant === 1));
  const body = { version: 1, run, requestedBy: "test", kind: "cancel", reason: "test" } as const;
  await cell.client.publish(cell.client.sign({ purpose: "command", body }));
  expect(await cell.ended(run)).toMatchObject({ state: "cancelled" });
  await until(asleep, (count) => count === 0);
  const settled = await until(calls, (found) => found.every((each) => each?.settled !== undefined));
  expect(settled.map((each) => `${each?.settled} ${each?.status}`).toSorted(inOrder)).toEqual([
    "CANCELLED refused",
    "EXECUTED cancelled",
  ]);
  const ledger = createLedger(cell.redis);
  const states = await Promise.all(items.map(async (item) => (await ledger.read(item))?.state));
  expect(states.map(String).toSorted(inOrder)).toEqual(["CANCELLED", "EXECUTED"]);
  expect(await readRun(cell.redis, run)).toMatchObject({ state: "cancelled" });
});

test("both executors stand in one pool, which counts no run that ended", async () => {
  const [pool, ...others] = await listPools(cell.redis);
  expect(others).toEqual([]);
  expect(pool).toMatchObject({ name: "default", runs: 0 });
  expect(pool?.executors.map(({ state }) => state)).toEqual(["live", "live"]);
  await cell.kill("executor-2", "SIGTERM");
  const [after] = await listPools(cell.redis);
  expect(after?.executors.map(({ state }) => state).toSorted()).toEqual(["draining", "live"]);
});
