import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { RunEvent } from "@airlock/core/contract";
import { itemKey, sealBody, sha256Hex } from "@airlock/core/record";
import { isFinalRun, readCall, readRun, readTurn } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCell, type Cell } from "../support/cell.ts";
import { createForger, signAs, until } from "../support/forge.ts";
import { makeRepository } from "../support/repository.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";
import { resultsOf, storyOf } from "../support/story-lines.ts";
import { eventWhere } from "../support/watch.ts";

let cell: Cell;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

const READ = call("read_file", { path: "README.md" });
const LONG = call("write_file", { path: "src/long.js", content: "// a line\n".repeat(60) });
/** Slow enough for what must not run early to have had its time. */
const SLOW = { chunkBytes: 256, delayMs: 20 };
/** behind the first call, in the middle of the long one */
const CUT = 12_000;

/** What a case's response, cut in the middle of its second call, waits for before it ends. */
const HOLDS: Readonly<Record<string, (run: string, attempt: number) => Promise<boolean>>> = {
  cut: readHasRun,
  failing: readHasRun,
  lost: async (run) => ((await readTurn(cell.redis, run, 1))?.attempt ?? 1) > 1,
  cancelled: async (run) => isFinalRun((await readRun(cell.redis, run))?.state ?? "running"),
};
/** the run that a case was last submitted for */
const submitted = new Map<string, Promise<string>>();

async function readHasRun(run: string, attempt: number): Promise<boolean> {
  return (await readCall(cell.redis, itemKey({ run, turn: 1, attempt, ordinal: 0 })))?.settled === "EXECUTED";
}

async function hold(name: string, attempt: number): Promise<void> {
  const holds = HOLDS[name];
  const run = await submitted.get(name);
  if (holds === undefined || run === undefined) return;
  await until(`the end of response ${attempt} of ${name}`, () => holds(run, attempt));
}

beforeAll(async () => {
  repository = await makeRepository();
  const reads = [[READ, LONG], [REPORT]];
  fixtures = await writeFixtures(
    {
      reads,
      cut: reads,
      failing: reads,
      lost: reads,
      cancelled: reads,
      writes: [[LONG, READ], [REPORT]],
      pair: [[READ, READ, LONG], [REPORT]],
    },
    (name) => (name in HOLDS ? { cutAtByte: CUT } : SLOW),
  );
  const sidecar = (name: string): string => path.join(fixtures.directory, "case", `${name}.json`);
  for (const name of ["cut", "lost"]) await writeFile(sidecar(`${name}.1.retry`), JSON.stringify(SLOW));
  for (const name of ["cut", "lost", "reads", "writes"]) await writeFile(sidecar(`${name}.2`), "{}");
  cell = await startCell({
    fixtures: fixtures.directory,
    sources: [repository.directory],
    route: { boundary: "item" },
    routes: {
      unverified: { family: "responses", boundary: "item" },
      whole: { family: "responses", boundary: "response" },
    },
    gateway: {
      beforeEnd: ({ case: played, turn, attempt }) =>
        turn === 1 ? hold(path.basename(played), attempt) : Promise.resolve(),
    },
  });
  await cell.trustRoute("gateway", "whole");
});

afterAll(async () => {
  await cell.close();
  await fixtures.remove();
  await repository.remove();
});

function submit(name: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  // the gateway takes a request that it has seen for a further attempt
  const run = cell.submit(specOf(name, repository.directory, { input: randomUUID(), ...more }));
  submitted.set(name, run);
  return run;
}

async function decisionLines(run: string): Promise<readonly string[]> {
  const lines = (await cell.logOf("validator"))
    .split("\n")
    .filter((line) => line.includes(`"item_id":"${run}.`));
  return lines.map((line) => {
    const field = (name: string): string => new RegExp(`"${name}":"([^"]*)"`).exec(line)?.[1] ?? "";
    const item = field("item_id").slice(run.length + 1);
    return `${item} ${field("execution_state")} ${field("error_class")}`;
  });
}

const started = (event: RunEvent): boolean => event.type === "item_state" && event.state === "STARTED";

describe("on a verified route with boundary item", () => {
  test("a call that reads runs before the response has ended, once, and a call that writes only afterwards", async () => {
    const run = await submit("reads");
    expect(await cell.ended(run)).toMatchObject({ state: "completed", turn: 2, calls: 2, mutatingCalls: 1 });
    expect(await storyOf(cell, run)).toEqual([
      "1.1.0 STARTED",
      "1.1.0 EXECUTED",
      "1.1 action_required",
      "1.1.1 STARTED",
      "1.1.1 EXECUTED",
      "2.1 candidate_complete",
    ]);
    expect(await resultsOf(cell, run)).toEqual([
      ["1.1.0", false],
      ["1.1.1", false],
    ]);
    expect(await decisionLines(run)).toEqual(["1.1.0 EXECUTED ", "1.1.1 EXECUTED "]);
  });

  test("a response that is cut after the call: the result is dropped, though charged, and the fresh attempt runs its own call", async () => {
    const run = await submit("cut");
    expect(await cell.ended(run)).toMatchObject({ state: "completed", turn: 2, calls: 3 });
    expect(await storyOf(cell, run)).toEqual([
      "1.1.0 STARTED",
      "1.1.0 EXECUTED",
      "1.1 indeterminate",
      "1.1.0 EXECUTED PROVISIONAL_DROPPED",
      "1.2.0 STARTED",
      "1.2.0 EXECUTED",
      "1.2 action_required",
      "1.2.1 STARTED",
      "1.2.1 EXECUTED",
      "2.1 candidate_complete",
    ]);
    expect(await resultsOf(cell, run)).toEqual([
      ["1.2.0", false],
      ["1.2.1", false],
    ]);
    expect(await decisionLines(run)).toEqual([
      "1.1.0 EXECUTED PROVISIONAL_DROPPED",
      "1.1.1 QUARANTINED ITEM_INCOMPLETE",
      "1.2.0 EXECUTED ",
      "1.2.1 EXECUTED ",
    ]);
  });

  test("a run whose every response is cut ends with nothing in its conversation", async () => {
    const run = await submit("failing", { limits: { attempts: 2 } });
    expect(await cell.ended(run)).toMatchObject({
      state: "escalated",
      errorClass: "ATTEMPTS_EXHAUSTED",
      calls: 2,
    });
    expect(await resultsOf(cell, run)).toEqual([]);
    const story = await storyOf(cell, run);
    expect(story.filter((line) => line.endsWith("PROVISIONAL_DROPPED"))).toEqual([
      "1.1.0 EXECUTED PROVISIONAL_DROPPED",
      "1.2.0 EXECUTED PROVISIONAL_DROPPED",
    ]);
  });

  test("the streamer dies in the middle of a response: what ran is dropped, and a fresh attempt follows", async () => {
    const run = await submit("lost");
    await eventWhere(cell.redis, run, (event) => event.type === "item_state" && event.state === "EXECUTED");
    await cell.kill("streamer");
    await cell.start("streamer");
    // the dropped call is charged as well
    expect(await cell.ended(run)).toMatchObject({ state: "completed", calls: 3 });
    expect(await storyOf(cell, run)).toContain("1.1.0 EXECUTED PROVISIONAL_DROPPED");
    expect(await resultsOf(cell, run)).toEqual([
      ["1.2.0", false],
      ["1.2.1", false],
    ]);
  });

  test("the validator dies in the middle of a response: each call has one result", async () => {
    const run = await submit("reads");
    await eventWhere(cell.redis, run, started);
    await cell.kill("validator");
    await cell.start("validator");
    expect(await cell.ended(run)).toMatchObject({ state: "completed", calls: 2 });
    expect((await resultsOf(cell, run)).length).toBe(2);
  });

  test("no more calls run early than the run's budget has", async () => {
    const run = await submit("pair", { limits: { calls: 1 } });
    expect(await cell.ended(run)).toMatchObject({ state: "escalated", errorClass: "BUDGET_CALLS" });
    expect((await storyOf(cell, run)).filter((line) => line.endsWith("STARTED"))).toEqual(["1.1.0 STARTED"]);
  });

  test("a run that is cancelled in the middle of a response gets no result", async () => {
    const run = await submit("cancelled");
    await eventWhere(cell.redis, run, started);
    const body = { version: 1, run, requestedBy: "test", kind: "cancel", reason: "test" } as const;
    await cell.client.publish(cell.client.sign({ purpose: "command", body }));
    expect(await cell.ended(run)).toMatchObject({ state: "cancelled" });
    expect(await resultsOf(cell, run)).toEqual([]);
    expect((await storyOf(cell, run)).filter((line) => line.endsWith("PROVISIONAL_DROPPED"))).toHaveLength(1);
  });

  test("a call that writes, signed as an early item by the streamer's own key, doesn't run", async () => {
    const run = await submit("reads");
    await eventWhere(cell.redis, run, (event) => event.type === "attempt_begun");
    const { key, record } = await plant(run, "write_file", { path: "planted.js", content: "x" });
    await cell.client.publish(record);
    await until("the verdict", async () => (await readCall(cell.redis, key)) !== null);
    await cell.ended(run);
    expect(await readCall(cell.redis, key)).toMatchObject({ state: "POLICY_APPROVED", grant: 0 });
    expect((await storyOf(cell, run)).some((line) => line.startsWith("1.1.7 "))).toBe(false);
  });

  test("an early item that the streamer didn't sign is refused", async () => {
    const run = await submit("reads");
    await eventWhere(cell.redis, run, (event) => event.type === "attempt_begun");
    const forger = createForger(cell);
    const { key, body } = await plant(run, "read_file", { path: "README.md" });
    await forger.refused("items", key, signAs(cell.keyrings.client, "item", body));
    await forger.close();
    await cell.ended(run);
    expect(await readCall(cell.redis, key)).toBeNull();
  });

  /** An item of the running attempt that no response holds. */
  async function plant(run: string, name: string, args: Readonly<Record<string, string>>) {
    const key = itemKey({ run, turn: 1, attempt: 1, ordinal: 7 });
    const place = runKeys(run).item(key);
    const text = JSON.stringify(args);
    const content = sealBody(cell.keyrings.streamer, { seal: "calls", place }, text);
    const body = {
      version: 1,
      run,
      turn: 1,
      attempt: 1,
      ordinal: 7,
      kind: "tool_call",
      callId: "planted",
      name,
      argumentsKind: "json",
      bytes: text.length,
      state: "ITEM_TERMINAL",
      errorClass: null,
      contentDigest: sha256Hex(content),
      adapter: "responses@2",
    } as const;
    const record = signAs(cell.keyrings.streamer, "item", body);
    await cell.redis.hset(place, { record: JSON.stringify(record) });
    await cell.redis.set(runKeys(run).content(key), content);
    return { key, body, record };
  }
});

describe("nothing runs before the response has ended", () => {
  const LATE = {
    "where the first call writes, though the next one reads": { name: "writes" },
    "where the run releases all calls of a turn or none": { name: "reads", allOrNothing: true },
    "where the run's calls go one after the other": { name: "reads", parallel: "off" },
    "on a verified route whose boundary is the response": { name: "reads", route: "whole" },
  };
  const runs = new Map<string, string>();
  beforeAll(async () => {
    for (const [title, { name, ...more }] of Object.entries(LATE)) runs.set(title, await submit(name, more));
    runs.set("unverified", await submit("reads", { route: "unverified" }));
  });

  test.each(Object.keys(LATE))("%s", async (title) => {
    const run = runs.get(title) ?? "";
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    const story = await storyOf(cell, run);
    expect([story[0], story.filter((line) => line.endsWith(" EXECUTED"))]).toEqual([
      "1.1 action_required",
      expect.arrayContaining(["1.1.0 EXECUTED", "1.1.1 EXECUTED"]),
    ]);
  });

  test("on a route that no report vouches for, where it doesn't run afterwards either", async () => {
    const run = runs.get("unverified") ?? "";
    await cell.ended(run);
    const [key = ""] = [...((await readTurn(cell.redis, run, 1))?.calls.keys() ?? [])];
    expect(await readCall(cell.redis, key)).toMatchObject({
      settled: "DENIED",
      errorClass: "ROUTE_UNVERIFIED",
      grant: 0,
    });
    expect((await storyOf(cell, run)).filter((line) => line.endsWith("STARTED"))).toEqual([]);
  });
});
