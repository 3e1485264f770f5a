import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readCall, readTurn } from "@airlock/core/run";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProcessName } from "../support/cell.ts";
import { countCall, effectsIn, writeCountingTests } from "../support/counting.ts";
import { makeRepository } from "../support/repository.ts";
import { REPORT, specOf, writeFixtures } from "../support/story.ts";
import { eventWhere } from "../support/watch.ts";
import { startCrashCell, type CrashCell } from "./support/crash-cell.ts";

type Kept = Awaited<ReturnType<CrashCell["keepRedis"]>>;

let cell: CrashCell;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

beforeAll(async () => {
  repository = await makeRepository(writeCountingTests);
  fixtures = await writeFixtures({
    one: [[countCall("a")], [REPORT]],
    slow: [[countCall("slow")], [REPORT]],
  });
  cell = await startCrashCell({ fixtures: fixtures.directory, sources: [repository.directory] });
  await cell.trustRoute();
});

afterAll(async () => {
  await cell.close();
  await fixtures.remove();
  await repository.remove();
});

function submit(name: string): Promise<string> {
  return cell.submit(specOf(name, repository.directory, { limits: { attempts: 10, deadlineMs: 120_000 } }));
}

function effects(run: string): Promise<Readonly<Record<string, number>>> {
  return effectsIn(path.join(cell.volume, run, "tree"));
}

async function onlyCall(run: string) {
  const [itemKey = ""] = [...((await readTurn(cell.redis, run, 1))?.calls.keys() ?? [])];
  return readCall(cell.redis, itemKey);
}

/** What Redis had on disk right before a process sent a command. */
async function keptBefore(process: ProcessName, command: RegExp): Promise<Kept> {
  let kept: Kept | null = null;
  await cell.proxyOf(process).at({ moment: "before", command }, async () => {
    kept = await cell.keepRedis();
    return "pass" as const;
  });
  if (kept === null) throw new Error("nothing was kept");
  return kept;
}

async function bringBack(kept: Kept): Promise<void> {
  await kept.bringBack();
  await kept.remove();
}

describe("a fail-over that lost the last writes", () => {
  test("row 21: the decision is lost after its call ran: it is decided again, and does not run again", async () => {
    const keeping = keptBefore("validator", /^call-decide /);
    const run = await submit("one");
    const kept = await keeping;
    await eventWhere(cell.redis, run, (event) => event.type === "item_state" && event.state === "EXECUTED");
    await bringBack(kept);
    await cell.ended(run, 120_000);
    expect(await effects(run)).toEqual({ a: 1 });
  });

  test("row 22: a claim is lost: the call is claimed again under a higher fence", async () => {
    const keeping = keptBefore("executor", /^ledger-claim /);
    const run = await submit("one");
    const kept = await keeping;
    await cell.killAt("executor", { moment: "before", command: /^ledger-begin / });
    await bringBack(kept);
    await cell.start("executor");
    expect(await cell.ended(run, 120_000)).toMatchObject({ state: "completed" });
    expect(await effects(run)).toEqual({ a: 1 });
  });

  test("row 23: a start is lost that the write-ahead log has: the outcome is unknown", async () => {
    const keeping = keptBefore("executor", /^ledger-begin /);
    const run = await submit("slow");
    const kept = await keeping;
    await effectSeen(run, "slow");
    await cell.kill("executor");
    await bringBack(kept);
    await cell.start("executor");
    expect(await cell.ended(run, 120_000)).toMatchObject({ state: "outcome_unknown" });
    expect(await effects(run)).toEqual({ slow: 1 });
  });

  test("row 24: a commit is lost that the write-ahead log has: it is applied again", async () => {
    const keeping = keptBefore("executor", /^ledger-leave /);
    const run = await submit("one");
    const kept = await keeping;
    await cell.killAt("executor", { moment: "before", command: /^add\w+Job \{airlock:results\}/ });
    await bringBack(kept);
    await cell.start("executor");
    expect(await cell.ended(run, 120_000)).toMatchObject({ state: "completed" });
    expect(await onlyCall(run)).toMatchObject({ settled: "EXECUTED", status: "ok" });
    expect(await effects(run)).toEqual({ a: 1 });
  });
});

describe("a Redis that is full", () => {
  test.each([
    ["row 31: before begin: nothing runs until there is room", /^ledger-begin /],
    ["row 31: before the commit: the result waits for room", /^ledger-leave /],
  ])("%s", async (_row, command) => {
    const filled = cell.proxyOf("executor").at({ moment: "before", command }, async () => {
      await cell.redis.config("SET", "maxmemory", "1");
      return "pass" as const;
    });
    const run = await submit("one");
    await filled;
    await sleep(1_000);
    const before = await effects(run);
    await cell.redis.config("SET", "maxmemory", "0");
    expect(before).toEqual(command.source.includes("begin") ? {} : { a: 1 });
    expect(await cell.ended(run, 120_000)).toMatchObject({ state: "completed" });
    expect(await effects(run)).toEqual({ a: 1 });
  });
});

describe("clocks that differ", () => {
  test.each([2 * 3_600_000, -2 * 3_600_000])("row 26: by %d ms: only Redis' time counts", async (skewMs) => {
    const other = await startCrashCell({
      fixtures: fixtures.directory,
      sources: [repository.directory],
      envOf: (name) => (name === "executor" ? { NODE_OPTIONS: `--import=${shiftedClock(skewMs)}` } : {}),
    });
    try {
      await other.trustRoute();
      const run = await other.submit(specOf("one", repository.directory));
      expect(await other.ended(run)).toMatchObject({ state: "completed" });
      expect(await effectsIn(path.join(other.volume, run, "tree"))).toEqual({ a: 1 });
    } finally {
      await other.close();
    }
  });
});

/** A module that moves the clock of the process that loads it. */
function shiftedClock(skewMs: number): string {
  const text = `
    const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...given) { given.length === 0 ? super(Real.now() + ${skewMs}) : super(...given); }
      static now() { return Real.now() + ${skewMs}; }
    };`;
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

async function effectSeen(run: string, name: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    if ((await effects(run))[name] !== undefined) return;
    await sleep(20);
  }
  throw new Error(`the effect ${name} was never seen`);
}
