import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  decisionKeeper,
  itemDecisionSchema,
  loadCorrelationKey,
  markedItemDecisionSchema,
  responseDecisionSchema,
  sampleDecisions,
  type DecisionEntry,
} from "@airlock/core/runtime";
import { globalKeys } from "@airlock/core/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { startCell, type Cell } from "../support/cell.ts";
import { until } from "../support/forge.ts";
import { program } from "../support/programs.ts";
import { makeRepository } from "../support/repository.ts";
import { ROOT } from "../support/root.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";

/** of two runs with three calls and two responses each */
const LINES = 10;
const KEY = "k".repeat(40);
const ARGUMENTS = { path: "README.md" };
/** What every line of a log has besides. */
const base = { level: z.string(), time: z.string(), service: z.literal("validator"), pid: z.number() };

let cell: Cell;
let folder: string;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;
const runs: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "airlock-decisions-"));
  const key = path.join(folder, "correlation.key");
  await writeFile(key, `${KEY}\n`, { mode: 0o600 });
  repository = await makeRepository();
  const turn = [call("read_file", ARGUMENTS), call("list_files", { path: "." }), call("made_up", {})];
  fixtures = await writeFixtures({ one: [turn, [REPORT]], two: [turn, [REPORT]] });
  cell = await startCell({
    fixtures: fixtures.directory,
    sources: [repository.directory],
    env: { AIRLOCK_TOOL_CATEGORIES: "read_file=reading, run_command=commands" },
    envOf: (name) => (name === "validator" ? { AIRLOCK_CORRELATION_KEY: key } : {}),
  });
  await cell.trustRoute();
  for (const name of ["one", "two"]) runs.push(await cell.submit(specOf(name, repository.directory)));
  for (const run of runs) await cell.ended(run);
  // the last ones are logged when their run is over already
  await until("the last decision line", async () => (await logged()).length >= LINES);
});
afterAll(async () => {
  await cell.close();
  await fixtures.remove();
  await repository.remove();
  await rm(folder, { recursive: true });
});

type Line = Readonly<Record<string, unknown>>;

/** The validator's decision lines: those that are no events. */
async function logged(): Promise<readonly Line[]> {
  const written = (await cell.logOf("validator")).split("\n").slice(0, -1); // the last one may be half of one
  const lines = written.filter((line) => line.startsWith("{"));
  return lines
    .map((line) => z.record(z.string(), z.unknown()).parse(JSON.parse(line)))
    .filter((line) => !("event" in line));
}

describe("the decision logs of a real run", () => {
  test("have exactly the design's fields, and the mark of the content where an operator has opted in", async () => {
    const lines = await logged();
    const items = lines.filter((line) => "item_id" in line);
    const responses = lines.filter((line) => "request_id" in line);
    expect([items.length, responses.length, lines.length]).toEqual([6, 4, LINES]);
    for (const line of items) markedItemDecisionSchema.extend(base).parse(line);
    for (const line of responses) responseDecisionSchema.extend(base).parse(line);
    expect(itemDecisionSchema.extend(base).safeParse(items[0]).success).toBe(false);
  });

  test("call tools by their categories, what has none `other`, and what nobody registered as ever", async () => {
    const names = (await logged()).flatMap((line) => ("item_id" in line ? [String(line["tool_name"])] : []));
    expect(names.toSorted()).toEqual([
      "(unregistered)",
      "(unregistered)",
      "other",
      "other",
      "reading",
      "reading",
    ]);
    for (const service of ["validator", "executor"] as const) {
      const log = await cell.logOf(service);
      expect(log).not.toContain("read_file");
      expect(log).not.toContain("list_files");
    }
    expect(await cell.logOf("executor")).toContain('"tool":"reading"');
  });

  test("mark equal contents alike, by the full keyed HMAC of what the model sent", async () => {
    const marks = (await logged()).flatMap((line) =>
      line["tool_name"] === "reading" ? [line["content_hmac"]] : [],
    );
    const mark = createHmac("sha256", KEY)
      .update(`airlock.content.v1\0${JSON.stringify(ARGUMENTS)}`)
      .digest("hex");
    expect(marks).toEqual([mark, mark]);
  });

  test("are sampled by `airlock decisions` as they were logged", async () => {
    await until("all lines", async () => (await cell.redis.xlen(globalKeys.decisions)) === 10);
    const { code, stdout, stderr } = await airlock("decisions", "--sample", "100", "--since", "1h", "--json");
    expect([code, stderr]).toEqual([0, ""]);
    const entries = z
      .array(z.object({ kind: z.string(), line: z.record(z.string(), z.unknown()) }))
      .parse(JSON.parse(stdout));
    const lines = (await logged()).map(({ level: _l, time: _t, service: _s, pid: _p, ...line }) => line);
    expect(entries.map(({ line }) => line)).toEqual(lines);
    const few = await airlock("decisions", "--sample", "3");
    expect(few.stdout.trim().split("\n")).toHaveLength(4);
    expect(few.stdout).toMatch(/^TIME +KIND/);
  });

  test.each([
    ["--sample", "0"],
    ["--since", "yesterday"],
  ])("%s %s is refused with what it takes", async (flag, value) => {
    const { code, stderr } = await airlock("decisions", flag, value);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${flag} ${value}`)]);
  });
});

describe("a sample", () => {
  const line = (at: number) => ({
    observed_at: `${at}`,
    run_id: "r",
    response_id: null,
    item_id: `${at}`,
    model_route: "m",
    stream_event: "item_finished",
    tool_name: "read_file",
    buffer_bytes: 1,
    terminal_seen: true,
    json_status: "valid",
    trailing_data: false,
    schema_status: "valid",
    policy_status: "allow",
    execution_state: "EXECUTED",
    duration_ms: 1,
    error_class: null,
  });
  const ids = (entries: readonly DecisionEntry[]) =>
    entries.map((entry) => (entry.kind === "item" ? Number(entry.line.item_id) : -1));

  test("gives every line the same chance, keeps their order, and its source has an end", async () => {
    const { redis } = cell;
    await redis.del(globalKeys.decisions);
    const keep = decisionKeeper(redis, []);
    for (let at = 0; at < 2_500; at += 1) keep("item", line(at));
    await until("the lines", async () => (await redis.xlen(globalKeys.decisions)) === 2_500);
    const all = ids(await sampleDecisions(redis, { sample: 5_000, sinceMs: 0 }));
    expect(all).toEqual(Array.from({ length: 2_500 }, (_, at) => at));
    const seen = new Set<number>();
    for (let round = 0; round < 20; round += 1) {
      const some = ids(await sampleDecisions(redis, { sample: 200, sinceMs: 0 }));
      expect([some.length, new Set(some).size]).toEqual([200, 200]);
      expect(some).toEqual(some.toSorted((a, b) => a - b));
      for (const id of some) seen.add(Math.floor(id / 250));
    }
    expect(seen.size).toBe(10);
    for (let at = 0; at < 12_000; at += 1) keep("item", line(at));
    await until("the cap", async () => {
      const kept = await redis.xlen(globalKeys.decisions);
      const [last] = await redis.xrevrange(globalKeys.decisions, "+", "-", "COUNT", 1);
      return kept < 10_500 && (last?.[1][1] ?? "").includes('"item_id":"11999"');
    });
  });

  test("tells nothing that is older than asked for, and skips what a newer build wrote", async () => {
    const { redis } = cell;
    await redis.del(globalKeys.decisions);
    const entry = (at: number) => JSON.stringify({ kind: "item", line: line(at) });
    await redis.xadd(globalKeys.decisions, "1000-0", "d", entry(1));
    await redis.xadd(
      globalKeys.decisions,
      "2000-0",
      "d",
      JSON.stringify({ kind: "item", line: { ...line(2), more: 1 } }),
    );
    await redis.xadd(globalKeys.decisions, "3000-0", "d", entry(3));
    expect(ids(await sampleDecisions(redis, { sample: 9, sinceMs: 1_500 }))).toEqual([3]);
  });
});

test.each([
  ["that is too short", "short", 0o600],
  ["that others may read", KEY, 0o644],
])("a correlation key %s is refused", async (_, text, mode) => {
  const file = path.join(folder, `bad-${mode}`);
  await writeFile(file, text, { mode });
  expect(() => loadCorrelationKey(file)).toThrow(/bad-/);
});

async function airlock(...args: readonly string[]) {
  const child = spawn(process.execPath, [...program("packages/cli"), ...args], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"] ?? "", REDIS_URL: cell.server.url, AIRLOCK_DATA: await dataFolder() },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  const [code]: readonly unknown[] = await once(child, "close");
  return { code, stdout, stderr };
}

/** Of `airlock up`, as far as commands beside the keys need it. */
async function dataFolder(): Promise<string> {
  const data = path.join(folder, "data");
  await mkdir(path.join(data, "keys"), { recursive: true, mode: 0o700 });
  for (const role of ["client", "approver"] as const) {
    await writeFile(path.join(data, `keys/${role}.json`), JSON.stringify(cell.keyrings[role]), {
      mode: 0o600,
    });
  }
  return data;
}
