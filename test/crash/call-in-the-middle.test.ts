import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readCall, readTurn } from "@airlock/core/run";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countCall, effectsIn, writeCountingTests } from "../support/counting.ts";
import { makeRepository } from "../support/repository.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";
import { eventWhere } from "../support/watch.ts";
import { startCrashCell, type CrashCell } from "./support/crash-cell.ts";
import { writeFatalBwrap, type FatalBwrap } from "./support/stop-in-sandbox.ts";

const NOTES = { path: "notes.txt", content: "written once\n" } as const;

let cell: CrashCell;
let bwrap: FatalBwrap;
let directory: string;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "airlock-fatal-"));
  await chmod(directory, 0o755);
  bwrap = await writeFatalBwrap(directory);
  repository = await makeRepository(writeCountingTests);
  fixtures = await writeFixtures({
    one: [[countCall("a")], [REPORT]],
    slow: [[countCall("slow")], [REPORT]],
    write: [[call("write_file", NOTES)], [REPORT]],
  });
  cell = await startCrashCell({
    fixtures: fixtures.directory,
    sources: [repository.directory],
    env: { AIRLOCK_BWRAP: bwrap.program },
  });
  await cell.trustRoute();
});

afterAll(async () => {
  await cell.close();
  await fixtures.remove();
  await repository.remove();
  await rm(directory, { recursive: true, force: true });
});

function submit(name: string): Promise<string> {
  return cell.submit(specOf(name, repository.directory, { limits: { attempts: 10, deadlineMs: 120_000 } }));
}

const treeOf = (run: string): string => path.join(cell.volume, run, "tree");

async function onlyCall(run: string) {
  const [itemKey = ""] = [...((await readTurn(cell.redis, run, 1))?.calls.keys() ?? [])];
  return readCall(cell.redis, itemKey);
}

async function notesOf(run: string): Promise<string | null> {
  return readFile(path.join(treeOf(run), NOTES.path), "utf8").catch(() => null);
}

describe("a command, which nothing can tell of afterwards", () => {
  test("row 11: dead after begin, before anything ran: it is shown not to have run", async () => {
    const killed = cell.killAt("executor", { moment: "after", command: /^ledger-begin / });
    const run = await submit("one");
    await killed;
    await cell.start("executor");
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    expect(await onlyCall(run)).toMatchObject({ settled: "NOT_EXECUTED" });
    expect(await effectsIn(treeOf(run))).toEqual({});
  });

  test("row 13: dead after the write-ahead line, before the program: a person has to look", async () => {
    await bwrap.arm("before");
    const run = await submit("one");
    await eventWhere(cell.redis, run, (event) => event.type === "item_state" && event.state === "STARTED");
    await dead("executor");
    await cell.start("executor");
    expect(await cell.ended(run)).toMatchObject({ state: "outcome_unknown" });
    expect(await onlyCall(run)).toMatchObject({ settled: "OUTCOME_UNKNOWN" });
    expect(await effectsIn(treeOf(run))).toEqual({});
  });

  test("row 14: dead during the program: its tree is dead, it is not started again, a person has to look", async () => {
    const run = await submit("slow");
    await effectSeen(run, "slow");
    await cell.restart("executor");
    expect(await cell.ended(run)).toMatchObject({ state: "outcome_unknown" });
    expect(await onlyCall(run)).toMatchObject({ settled: "OUTCOME_UNKNOWN" });
    expect(await effectsIn(treeOf(run))).toEqual({ slow: 1 });
  });

  test("row 15: dead when the program has ended, before its result is kept: a person has to look", async () => {
    await bwrap.arm("after");
    const run = await submit("one");
    await effectSeen(run, "a");
    await dead("executor");
    await cell.start("executor");
    expect(await cell.ended(run)).toMatchObject({ state: "outcome_unknown" });
    expect(await effectsIn(treeOf(run))).toEqual({ a: 1 });
  });

  test("row 16: dead with the result in the write-ahead log, before the commit: the log's result is the outcome", async () => {
    const killed = cell.killAt("executor", { moment: "before", command: /^ledger-end / });
    const run = await submit("one");
    await killed;
    await cell.start("executor");
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    expect(await onlyCall(run)).toMatchObject({ settled: "EXECUTED", status: "ok" });
    expect(await effectsIn(treeOf(run))).toEqual({ a: 1 });
  });

  test("row 20: an executor that stands still past its lease starts nothing again, and what it says late is no outcome", async () => {
    const run = await submit("slow");
    await effectSeen(run, "slow");
    cell.processOf("executor")?.kill("SIGSTOP");
    await cell.start("executor-2");
    expect(await cell.ended(run)).toMatchObject({ state: "outcome_unknown" });
    cell.processOf("executor")?.kill("SIGCONT");
    await sleep(1_000);
    expect(await onlyCall(run)).toMatchObject({ settled: "OUTCOME_UNKNOWN" });
    expect(await effectsIn(treeOf(run))).toEqual({ slow: 1 });
    await cell.kill("executor-2");
  });
});

describe("a file, which a probe can look at", () => {
  test("row 11: dead after begin: nothing was written, and the model hears so", async () => {
    const killed = cell.killAt("executor", { moment: "after", command: /^ledger-begin / });
    const run = await submit("write");
    await killed;
    await cell.start("executor");
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    expect(await onlyCall(run)).toMatchObject({ settled: "NOT_EXECUTED" });
    expect(await notesOf(run)).toBeNull();
  });

  test("row 16: dead before the commit: the file is there, and told as written", async () => {
    const killed = cell.killAt("executor", { moment: "before", command: /^ledger-end / });
    const run = await submit("write");
    await killed;
    await cell.start("executor");
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    expect(await onlyCall(run)).toMatchObject({ settled: "EXECUTED", status: "ok" });
    expect(await notesOf(run)).toBe(NOTES.content);
  });

  test("row 15 and 32: dead with the file written, and again while it is looked at: it is told as written, once", async () => {
    // another executor than the one whose log holds the result
    await cell.start("executor-2");
    const killed = cell.killAt("executor", { moment: "before", command: /^ledger-end / });
    await cell.kill("executor-2");
    const run = await submit("write");
    await killed;
    await rm(path.join(cell.volume, "journal"), { recursive: true, force: true });
    await cell.start("executor-2");
    await cell.killAt("executor-2", { moment: "after", command: /^ledger-reconcile / });
    await cell.start("executor");
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    expect(await onlyCall(run)).toMatchObject({ settled: "EXECUTED", status: "ok" });
    expect(await notesOf(run)).toBe(NOTES.content);
  });
});

describe("cancel", () => {
  test("row 30: before begin nothing runs", async () => {
    const held = cell.proxyOf("executor").at({ moment: "before", command: /^ledger-begin / }, async () => {
      const run = await submitted;
      await cancel(run);
      await cell.ended(run);
      return "pass" as const;
    });
    const submitted = submit("one");
    await held;
    const run = await submitted;
    await sleep(500);
    expect(await cell.ended(run)).toMatchObject({ state: "cancelled" });
    expect(await effectsIn(treeOf(run))).toEqual({});
  });
});

async function cancel(run: string): Promise<void> {
  const body = { version: 1, run, requestedBy: "test", kind: "cancel", reason: "enough" } as const;
  await cell.client.publish(cell.client.sign({ purpose: "command", body }));
}

async function dead(name: "executor"): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    if (cell.processOf(name)?.signalCode === "SIGKILL") return;
    await sleep(20);
  }
  throw new Error(`${name} was not killed`);
}

async function effectSeen(run: string, name: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    if ((await effectsIn(treeOf(run)))[name] !== undefined) return;
    await sleep(20);
  }
  throw new Error(`the effect ${name} was never seen`);
}
