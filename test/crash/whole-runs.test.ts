import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent } from "@airlock/core/contract";
import { readCall, readTurn } from "@airlock/core/run";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCell, type Cell, type ProcessName } from "../support/cell.ts";
import { countCall, effectsIn, writeCountingTests } from "../support/counting.ts";
import { makeRepository } from "../support/repository.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";
import { eventWhere } from "../support/watch.ts";

let cell: Cell;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

const REPORT_LIMITS = { limits: { attempts: 10, deadlineMs: 120_000 } };

/** When each service dies: the turn, and what has just happened in it. */
const MOMENTS = [
  [
    "streamer",
    [
      "1 attempt_opened", // it has not taken the attempt
      "1 attempt_committed", // between commit and publication
      "2 attempt_begun", // in the middle of a stream
      "2 STARTED", // while others work
      "3 turn_closed", // between two turns
    ],
  ],
  [
    "validator",
    [
      "1 attempt_begun", // while others work
      "1 attempt_committed", // before it has read the output
      "1 POLICY_APPROVED", // between decision and grant
      "2 STARTED", // in the middle of a call, with a second one to follow
      "2 EXECUTED", // between a result and what the model is told
      "3 turn_closed", // between two turns
    ],
  ],
] as const;

function momentOf(event: RunEvent): string {
  if (event.type === "item_state") return `${event.itemKey.split(".")[1]} ${event.state}`;
  return "turn" in event ? `${event.turn} ${event.type}` : event.type;
}

beforeAll(async () => {
  repository = await makeRepository(writeCountingTests);
  fixtures = await writeFixtures(
    {
      count: [
        [call("read_file", { path: "README.md" }), countCall("a")],
        [countCall("b"), countCall("c")],
        [countCall("d")],
        [REPORT],
      ],
      slow: [[countCall("slow")], [REPORT]],
      read: [[call("list_files", { path: "." }), call("read_file", { path: "README.md" })], [REPORT]],
    },
    () => ({ chunkBytes: 64, delayMs: 2 }),
  );
  cell = await startCell({ fixtures: fixtures.directory, sources: [repository.directory] });
  await cell.trustRoute();
});

afterAll(async () => {
  await cell.close();
  await fixtures.remove();
  await repository.remove();
});

function submit(name: string): Promise<string> {
  return cell.submit(specOf(name, repository.directory, REPORT_LIMITS));
}

function effects(run: string): Promise<Readonly<Record<string, number>>> {
  return effectsIn(path.join(cell.volume, run, "tree"));
}

async function restart(service: ProcessName): Promise<void> {
  await cell.kill(service);
  await cell.start(service);
}

describe("SIGKILL of the streamer or the validator at any moment", () => {
  test.each(MOMENTS)(
    "the %s dies again and again: the run completes and every effect happened exactly once",
    async (service, moments) => {
      const run = await submit("count");
      for (const moment of moments) {
        await eventWhere(cell.redis, run, (event) => momentOf(event) === moment);
        await restart(service);
      }
      expect(await cell.ended(run)).toMatchObject({ state: "completed", turn: 4 });
      expect(await effects(run)).toEqual({ a: 1, b: 1, c: 1, d: 1 });
    },
  );

  test("the streamer dies in the middle of a stream: the attempt is committed as lost, and a fresh one follows", async () => {
    const run = await submit("count");
    await eventWhere(cell.redis, run, (event) => event.type === "attempt_begun");
    await restart("streamer");
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    const lost = await eventWhere(cell.redis, run, (event) => event.type === "attempt_committed");
    expect(lost).toMatchObject({
      turn: 1,
      attempt: 1,
      outcome: "indeterminate",
      errorClass: "STREAMER_LOST",
      items: 0,
    });
    expect(await effects(run)).toEqual({ a: 1, b: 1, c: 1, d: 1 });
  });
});

describe("SIGKILL of the executor", () => {
  test("between calls: the run completes and every effect happened exactly once", async () => {
    const run = await submit("count");
    for (const done of [1, 2, 4]) {
      let seen = 0;
      const executed = (event: RunEvent): boolean => {
        if (event.type !== "item_state" || event.state !== "EXECUTED") return false;
        seen += 1;
        return seen === done;
      };
      await eventWhere(cell.redis, run, (event, index) => {
        if (index === 0) seen = 0;
        return executed(event);
      });
      await waitUntilIdle(run);
      await restart("executor");
    }
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    expect(await effects(run)).toEqual({ a: 1, b: 1, c: 1, d: 1 });
  });

  test("in the middle of a call with effects: at most once, shown as unknown, and the run goes on and says so", async () => {
    const run = await submit("slow");
    await effectSeen(run, "slow");
    await restart("executor");
    expect(await cell.ended(run)).toMatchObject({
      state: "outcome_unknown",
      errorClass: "OUTCOME_UNKNOWN",
      turn: 2,
    });
    expect(await effects(run)).toEqual({ slow: 1 });
    const [itemKey] = [...((await readTurn(cell.redis, run, 1))?.calls.keys() ?? [])];
    expect(await readCall(cell.redis, itemKey ?? "")).toMatchObject({
      settled: "OUTCOME_UNKNOWN",
      status: "unknown",
      errorClass: "OUTCOME_UNKNOWN",
    });
  });
});

describe("two executors at once", () => {
  test("start each call once", async () => {
    await cell.start("executor-2");
    const runs = await Promise.all(Array.from({ length: 4 }, () => submit("count")));
    for (const run of runs) {
      expect(await cell.ended(run)).toMatchObject({ state: "completed" });
      expect(await effects(run)).toEqual({ a: 1, b: 1, c: 1, d: 1 });
    }
    await cell.kill("executor-2");
  });
});

describe("Redis", () => {
  test("dies and comes back: the services wait, say so, and the run completes without a restart of any of them", async () => {
    const run = await submit("count");
    await eventWhere(cell.redis, run, (event) => event.type === "item_state" && event.state === "EXECUTED");
    await cell.server.kill();
    await sleep(1_000);
    await cell.server.start();
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    expect(await effects(run)).toEqual({ a: 1, b: 1, c: 1, d: 1 });
    for (const service of ["streamer", "validator", "executor"] as const) {
      expect(cell.processOf(service)?.exitCode).toBeNull();
      expect(await cell.logOf(service)).toContain('"redis_down"');
    }
  });
});

describe("cancel", () => {
  test("reaches a running tool, and the run ends as cancelled", async () => {
    const run = await submit("slow");
    await effectSeen(run, "slow");
    const body = { version: 1, run, requestedBy: "test", kind: "cancel", reason: "enough" } as const;
    await cell.client.publish(cell.client.sign({ purpose: "command", body }));
    expect(await cell.ended(run)).toMatchObject({ state: "cancelled" });
    const killed = await eventWhere(
      cell.redis,
      run,
      (event) =>
        event.type === "item_state" && event.state === "EXECUTED" && event.errorClass === "CANCELLED",
    );
    expect(killed).toMatchObject({ type: "item_state" });
    expect(await effects(run)).toEqual({ slow: 1 });
  });
});

async function effectSeen(run: string, name: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    if ((await effects(run))[name] !== undefined) return;
    await sleep(20);
  }
  throw new Error(`the effect ${name} was never seen`);
}

/** Waits for a moment in which no call is claimed or started. */
async function waitUntilIdle(run: string): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline) {
    const keys = await cell.redis.keys(`airlock:{${run}}:ledger:*`);
    const states = await Promise.all(keys.map((key) => cell.redis.hget(key, "state")));
    if (!states.some((state) => state === "CLAIMED" || state === "STARTED")) return;
    await sleep(5);
  }
}
