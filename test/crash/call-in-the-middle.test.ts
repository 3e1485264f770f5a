import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readCall, readTurn } from "@airlock/core/run";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countCall, effectsIn, writeCountingTests } from "../support/counting.ts";
import { makeRepository } from "../support/repository.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";
import { startCrashCell, type CrashCell } from "./support/crash-cell.ts";
import { writeHaltingBwrap, type HaltingBwrap } from "./support/stop-in-sandbox.ts";

const NOTES = { path: "notes.txt", content: "written once\n" } as const;

let cell: CrashCell;
let bwrap: HaltingBwrap;
let directory: string;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "airlock-halting-"));
  await chmod(directory, 0o755);
  bwrap = await writeHaltingBwrap(directory);
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
    await bwrap.halted();
    await cell.restart("executor");
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
    await bwrap.halted();
    await cell.restart("executor");
    expect(await cell.ended(run)).toMatchObject({ state: "outcome_unknown" });
    expect(await effectsIn(treeOf(run))).toEqual({ a: 1 });
  });

  test("row 16: dead with the result in the write-ahead log, before the commit: the log's result is the outcome", async () => {
    const killed = cell.killAt("executor", { moment: "before", command: /^ledger-leave / });
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
    const killed = cell.killAt("executor", { moment: "before", command: /^ledger-leave / });
    const run = await submit("write");
    await killed;
    await cell.start("executor");
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    expect(await onlyCall(run)).toMatchObject({ settled: "EXECUTED", status: "ok" });
    expect(await notesOf(run)).toBe(NOTES.content);
  });

  test("row 15 and 32: dead with the file written and no result kept, and again while it is looked at: told as written", async () => {
    const killed = cell.killAt("executor", { moment: "before", command: /^ledger-leave / });
    const run = await submit("write");
    await killed;
    await forgetLastLine(cell.volume);
    await cell.start("executor");
    await cell.killAt("executor", { moment: "after", command: /^ledger-reconcile / });
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

/** Leaves the newest write-ahead log as it is right before its last line is written. */
async function forgetLastLine(volume: string): Promise<void> {
  const folder = path.join(volume, "write-ahead");
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".log"));
  const newest = names
    .toSorted((left, right) => path.basename(left).localeCompare(path.basename(right)))
    .at(-1);
  const file = path.join(folder, newest ?? "");
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  expect(lines.at(-1)).toContain("committed");
  await writeFile(file, `${lines.slice(0, -1).join("\n")}\n`);
}

async function cancel(run: string): Promise<void> {
  const body = { version: 1, run, requestedBy: "test", kind: "cancel", reason: "enough" } as const;
  await cell.client.publish(cell.client.sign({ purpose: "command", body }));
}

async function effectSeen(run: string, name: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    if ((await effectsIn(treeOf(run)))[name] !== undefined) return;
    await sleep(20);
  }
  throw new Error(`the effect ${name} was never seen`);
}
