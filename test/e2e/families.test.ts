import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { itemKey } from "@airlock/core/record";
import { readCall, readTurn, type RunHash } from "@airlock/core/run";
import type { Family } from "@airlock/core/wire";
import { composeStream, type GatewayEvent } from "@airlock/replay";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as a from "../../scripts/conformance/anthropic/frames.ts";
import { startCell, type Cell } from "../support/cell.ts";
import { until } from "../support/forge.ts";
import { makeRepository } from "../support/repository.ts";
import { callsOf, eventsOf, resultsOf, storyOf } from "../support/story-lines.ts";
import { call, REPORT, specOf, writeFamilyCase, writeFixtures, type FamilyTurns } from "../support/story.ts";

/** How a family's answers come, and the ids that its calls then have. */
interface Form {
  readonly name: string;
  readonly family: Family;
  readonly form: "stream" | "body";
  readonly withoutCallIds?: true;
  readonly ids: RegExp;
}

const FORMS: readonly Form[] = [
  { name: "chat", family: "chat", form: "stream", ids: /^call_[0-9a-f]{24}$/ },
  { name: "anthropic", family: "anthropic", form: "stream", ids: /^toolu_[0-9a-f]{24}$/ },
  { name: "gemini", family: "gemini", form: "stream", ids: /^[0-9a-f]{8}$/ },
  { name: "chat-body", family: "chat", form: "body", withoutCallIds: true, ids: /^call_[0-9a-f]{24}$/ },
  { name: "anthropic-body", family: "anthropic", form: "body", ids: /^toolu_[0-9a-f]{24}$/ },
  { name: "gemini-body", family: "gemini", form: "body", withoutCallIds: true, ids: /^$/ },
];

const NEW_FILE = "export const added = “new” ? 1 : 0;\n".repeat(8);
const WRITE = call("write_file", { path: "src/new.js", content: NEW_FILE });
const thought = (summary: string) => ({ kind: "reasoning", summary }) as const;

/** Reads and writes in parallel; of the second turn's calls one is forbidden, and one no tool can take. */
const WORK: FamilyTurns = {
  "1": {
    items: [
      thought("First the **layout**."),
      call("list_files", { path: ".", depth: 1 }),
      call("read_file", { path: "src/price.js" }),
    ],
  },
  "2": {
    items: [
      thought("Now I write, and look around."),
      WRITE,
      call("read_file", { path: "README.md" }),
      call("read_file", { path: 7 }),
      call("write_file", { path: ".github/workflows/ci.yml", content: "on: push\n" }),
    ],
  },
  "3": { items: [call("read_file", { path: "src/new.js" })] },
  "4": { items: [thought("All is done."), REPORT] },
};

const CUT: FamilyTurns = {
  "1": { items: [thought("I write at once."), WRITE], endAfter: "added = " },
  "1.retry": { items: [thought("I write once more."), WRITE] },
  "2": { items: [REPORT] },
};

const LONG = call("write_file", { path: "src/long.js", content: "// a line\n".repeat(20) });
const SEARCH = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
const FOUND = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
const PAUSED = [a.STARTED, a.start(0, SEARCH), a.json(0, '{"query":', '"prices"}'), a.stop(0)];
const RESUMED = [
  a.STARTED,
  a.start(0, FOUND),
  a.stop(0),
  a.call(1, { id: "toolu_read" }, '{"path":"README.md"}'),
  a.stopReason("tool_use"),
  a.STOPPED,
];

let cell: Cell;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;
const refused: GatewayEvent[] = [];

const routeOf = (family: Family): string => `gateway-${family}`;
const submitted = new Map<string, Promise<string>>();

beforeAll(async () => {
  repository = await makeRepository();
  fixtures = await writeFixtures({});
  const { directory } = fixtures;
  const file = (name: string): string => path.join(directory, "case", name);
  for (const { name, withoutCallIds, ...form } of FORMS) {
    const marked = (turns: FamilyTurns): FamilyTurns =>
      withoutCallIds === undefined
        ? turns
        : Object.fromEntries(Object.entries(turns).map(([at, turn]) => [at, { ...turn, withoutCallIds }]));
    await writeFamilyCase(directory, { name: `work-${name}`, ...form }, marked(WORK));
    await writeFamilyCase(directory, { name: `cut-${name}`, ...form }, marked(CUT));
  }
  const early = [call("read_file", { path: "README.md" }), LONG];
  const streamed = { family: "anthropic", form: "stream" } as const;
  await writeFamilyCase(
    directory,
    { name: "early", ...streamed },
    {
      "1": { items: early, endAfter: "// a line" },
      "1.retry": { items: early },
      "2": { items: [REPORT] },
    },
  );
  await writeFile(file("paused.1.sse"), [...PAUSED, a.stopReason("pause_turn"), a.STOPPED].join(""));
  await writeFile(file("paused.2.sse"), RESUMED.join(""));
  await writeFile(file("paused.3.sse"), composeStream("anthropic", { id: "paused", items: [REPORT] }));
  cell = await startCell({
    fixtures: directory,
    sources: [repository.directory],
    routes: { early: { family: "anthropic", boundary: "item" }, unverified: { family: "anthropic" } },
    gateway: {
      log: (event) => void (event.type === "request_refused" && refused.push(event)),
      beforeEnd: (played) =>
        played.case === "case/early" && played.attempt === 1 && played.turn === 1
          ? readHasRun()
          : Promise.resolve(),
    },
  });
  const start = (name: string, route: string): void =>
    void submitted.set(`${name} on ${route}`, cell.submit(specOf(name, repository.directory, { route })));
  await cell.trustRoute("early");
  start("early", "early");
  await cell.verifyRoute("gateway-chat", "gateway-anthropic", "gateway-gemini");
  start("paused", routeOf("anthropic"));
  start("paused", "unverified");
  for (const { name, family } of FORMS) {
    start(`work-${name}`, routeOf(family));
    start(`cut-${name}`, routeOf(family));
  }
});

afterAll(async () => {
  await cell.close();
  await fixtures.remove();
  await repository.remove();
});

async function ended(name: string, route: string): Promise<{ readonly run: string; readonly hash: RunHash }> {
  const run = (await submitted.get(`${name} on ${route}`)) ?? "";
  return { run, hash: await cell.ended(run) };
}

/** The call that is whole has run, and its result is there: now the response may fail. */
async function readHasRun(): Promise<void> {
  const run = (await submitted.get("early on early")) ?? "";
  const key = itemKey({ run, turn: 1, attempt: 1, ordinal: 0 });
  await until("the early result", async () => (await readCall(cell.redis, key))?.settled === "EXECUTED");
}

function treeFile(run: string, file: string): Promise<string> {
  return readFile(path.join(cell.volume, run, "tree", file), "utf8");
}

async function callIds(run: string, turns: number): Promise<readonly string[]> {
  const hashes = await Promise.all(
    Array.from({ length: turns }, (_, at) => readTurn(cell.redis, run, at + 1)),
  );
  const keys = hashes.flatMap((turn) => [...(turn?.calls.keys() ?? [])]);
  return Promise.all(keys.map(async (key) => (await readCall(cell.redis, key))?.callId ?? "(none)"));
}

describe.each(FORMS)("$name", ({ name, family, ids }) => {
  test("reads and writes over several turns, and every call has its one result", async () => {
    const { run, hash } = await ended(`work-${name}`, routeOf(family));
    expect(hash).toMatchObject({ state: "completed", turn: 4, artifactKind: "text" });
    expect(await callsOf(cell, run, 4)).toEqual([
      "1.1 list_files EXECUTED ok",
      "1.1 read_file EXECUTED ok",
      "2.1 write_file EXECUTED ok",
      "2.1 read_file EXECUTED ok",
      "2.1 read_file QUARANTINED SCHEMA_VIOLATION",
      "2.1 write_file DENIED POLICY_FORBIDDEN",
      "3.1 read_file EXECUTED ok",
    ]);
    const told = await callIds(run, 4);
    expect(told.filter((id) => !ids.test(id))).toEqual([]);
    expect(new Set(told).size).toBe(told.includes("") ? 1 : 7);
    const failed = (await resultsOf(cell, run)).map(([, each]) => each);
    expect(failed).toEqual([false, false, false, false, true, true, false]);
    expect(await treeFile(run, "src/new.js")).toBe(NEW_FILE);
    await expect(treeFile(run, ".github/workflows/ci.yml")).rejects.toThrow("ENOENT");
  });

  test("is cut in the middle of a call that writes: nothing runs, and the fresh attempt writes once", async () => {
    const { run, hash } = await ended(`cut-${name}`, routeOf(family));
    expect(hash).toMatchObject({ state: "completed", turn: 2, calls: 1, mutatingCalls: 1 });
    const story = (await storyOf(cell, run)).map((line) => line.replace(/^1\.2\.\d /, "the call "));
    expect(story).toEqual([
      "1.1 indeterminate",
      "1.2 action_required",
      "the call STARTED",
      "the call EXECUTED",
      "2.1 candidate_complete",
    ]);
    expect(await callsOf(cell, run, 2)).toEqual(["1.2 write_file EXECUTED ok"]);
    expect(await treeFile(run, "src/new.js")).toBe(NEW_FILE);
  });
});

test("a call that reads runs before an Anthropic response fails, and its result is in no conversation", async () => {
  const { run, hash } = await ended("early", "early");
  expect(hash).toMatchObject({ state: "completed", turn: 2, calls: 3 });
  const story = await storyOf(cell, run);
  // the fresh attempt's own read may run before its response has ended, or after
  expect(story.filter((line) => !line.startsWith("1.2.0 "))).toEqual([
    "1.1.0 STARTED",
    "1.1.0 EXECUTED",
    "1.1 indeterminate",
    "1.1.0 EXECUTED PROVISIONAL_DROPPED",
    "1.2 action_required",
    "1.2.1 STARTED",
    "1.2.1 EXECUTED",
    "2.1 candidate_complete",
  ]);
  expect(await resultsOf(cell, run)).toEqual([
    ["1.2.0", false],
    ["1.2.1", false],
  ]);
});

describe("a paused turn", () => {
  test("goes on where it was on a verified route, and what the provider ran is no call of ours", async () => {
    const { run, hash } = await ended("paused", routeOf("anthropic"));
    expect(hash).toMatchObject({ state: "completed", turn: 3, continuations: 1, calls: 1 });
    expect(await callsOf(cell, run, 3)).toEqual(["2.1 read_file EXECUTED ok"]);
  });

  test("is not sent again on a route that no report vouches for", async () => {
    const { run, hash } = await ended("paused", "unverified");
    expect(hash).toMatchObject({ state: "escalated", errorClass: "ROUTE_UNVERIFIED", turn: 1 });
    const asked = (await eventsOf(cell, run)).filter(({ type }) => type === "attempt_begun");
    expect(asked).toHaveLength(1);
  });
});

test("the gateway refused no request of any family", () => {
  expect(refused).toEqual([]);
});
