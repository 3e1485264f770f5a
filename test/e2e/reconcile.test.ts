import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RunEvent } from "@airlock/core/contract";
import type { JsonObject } from "@airlock/core/json";
import { createLedger } from "@airlock/core/ledger";
import { itemKey } from "@airlock/core/record";
import { readCall, readConversation } from "@airlock/core/run";
import { globalKeys, readEvent, runKeys } from "@airlock/core/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { airlockBeside, type Airlock } from "../support/airlock.ts";
import { ROOT, startCell, type Cell } from "../support/cell.ts";
import { until } from "../support/forge.ts";
import { makeRepository } from "../support/repository.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";
import { eventWhere } from "../support/watch.ts";

const MARK = "echo $AIRLOCK_IDEMPOTENCY_KEY >> marks.log";
const BEGUN = "echo $AIRLOCK_IDEMPOTENCY_KEY >> begun.log";
const MARKED = `grep -qs "$AIRLOCK_IDEMPOTENCY_KEY" marks.log && echo '"done"' || echo '"not_done"'`;

interface OperatorTool {
  readonly script: string;
  readonly probe: string | null;
  readonly effect?: "read" | "mutating";
}

/**
 * Tools that tell when they have begun, have an effect that can be counted, and then never come to an end; and what each
 * one's probe does. A file `hold` in the workspace keeps a probe from its end.
 */
const TOOLS: Readonly<Record<string, OperatorTool>> = {
  mark_then_hang: { script: `${MARK}; ${BEGUN}; sleep 1000`, probe: MARKED },
  hang_then_mark: { script: `${BEGUN}; sleep 1000; ${MARK}`, probe: MARKED },
  mark_and_wonder: { script: `${MARK}; ${BEGUN}; sleep 1000`, probe: `echo '"inconclusive"'` },
  mark_unseen: { script: `${MARK}; ${BEGUN}; sleep 1000`, probe: null },
  mark_slow_probe: {
    script: `${MARK}; ${BEGUN}; sleep 1000`,
    probe: `while [ -e hold ]; do sleep 0.05; done; ${MARKED}`,
  },
  mark: { script: `${MARK}; echo true`, probe: MARKED },
  wait: { script: "while [ -e hold ]; do sleep 0.05; done; echo true", probe: null, effect: "read" },
};
const NAMES = Object.keys(TOOLS);

const POLICY = `apiVersion: airlock.policy/v1
mode: enforce
paths: { read: { allow: ["**"] } }
rules:
  - { id: read-files, decision: allow, tool: read_file }
${NAMES.map((name) => `  - { id: ${name.replaceAll("_", "-")}, decision: allow, tool: ${name} }`).join("\n")}
`;

let cell: Cell;
let airlock: Airlock;
let folder: string;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

async function writeProgram(name: string, script: string): Promise<string> {
  const program = path.join(folder, "programs", name);
  await writeFile(program, `#!/bin/bash\n${script}\n`);
  await chmod(program, 0o755);
  return program;
}

async function writeTool(name: string): Promise<void> {
  const { script, probe, effect = "mutating" }: OperatorTool = TOOLS[name] ?? { script: "", probe: null };
  const manifest: JsonObject = {
    apiVersion: "airlock.tool/v1",
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: "object", additionalProperties: false, properties: {} },
    effect,
    claims: { workspace: effect === "read" ? "read" : "write" },
    command: [await writeProgram(name, script)],
    ...(probe === null ? {} : { probe: [await writeProgram(`${name}-probe`, probe)] }),
  };
  await writeFile(path.join(folder, "tools", `${name}.json`), JSON.stringify(manifest));
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "airlock-reconcile-"));
  await chmod(folder, 0o755);
  await mkdir(path.join(folder, "tools"));
  await mkdir(path.join(folder, "programs"));
  await cp(path.join(ROOT, "config/policies"), path.join(folder, "policies"), { recursive: true });
  await writeFile(path.join(folder, "policies/reconcile.yaml"), POLICY);
  for (const name of NAMES) await writeTool(name);
  repository = await makeRepository();
  const read = call("read_file", { path: "README.md" });
  fixtures = await writeFixtures({
    ...Object.fromEntries(NAMES.map((name) => [name, [[call(name, {}), read], [REPORT]]])),
    frozen: [
      [call("mark_and_wonder", {}), read],
      [call("mark", {}), call("wait", {})],
      [call("mark", {})],
      [REPORT],
    ],
  });
  cell = await startCell({
    fixtures: fixtures.directory,
    sources: [repository.directory],
    env: {
      AIRLOCK_TOOLS: path.join(folder, "tools"),
      AIRLOCK_POLICIES: path.join(folder, "policies"),
    },
  });
  await cell.trustRoute();
  airlock = await airlockBeside(cell);
});

afterAll(async () => {
  await airlock.remove();
  await cell.close();
  await fixtures.remove();
  await repository.remove();
  await rm(folder, { recursive: true, force: true });
});

function submit(name: string): Promise<string> {
  const more = { policy: "reconcile", tools: [...NAMES, "read_file"] };
  return cell.submit(specOf(name, repository.directory, more));
}

const fileIn = (run: string, name: string): string => path.join(cell.volume, run, "tree", name);

async function linesIn(run: string, name: string): Promise<readonly string[]> {
  const text = await readFile(fileIn(run, name), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** The first call of a run, begun and in the middle of its work. */
async function begun(run: string): Promise<string> {
  await until(`${run} to begin`, async () => (await linesIn(run, "begun.log")).length > 0);
  return itemKey({ run, turn: 1, attempt: 1, ordinal: 0 });
}

async function restart(): Promise<void> {
  await cell.kill("executor");
  await cell.start("executor");
}

async function statesOf(run: string, key: string): Promise<readonly string[]> {
  const entries = await cell.redis.xrange(runKeys(run).events, "-", "+");
  const events = entries.flatMap(([, fields]): readonly RunEvent[] => {
    const event = readEvent(fields);
    return event === null ? [] : [event];
  });
  return events.flatMap((event) =>
    event.type === "item_state" && event.itemKey === key ? [event.state] : [],
  );
}

/** What the model was told of each call, by its key. */
async function told(run: string): Promise<Readonly<Record<string, JsonObject>>> {
  const entries = await readConversation({ redis: cell.redis, keyring: cell.keyrings.validator }, run);
  return Object.fromEntries(
    entries.flatMap((entry) =>
      entry.type === "call_result" ? [[entry.itemKey, JSON.parse(entry.content) as JsonObject]] : [],
    ),
  );
}

/** The executor that began a call, by the process that its owner's name tells. */
async function holderOf(key: string): Promise<"executor" | "executor-2"> {
  const { owner = "" } = (await ledger().read(key)) ?? {};
  const pid = Number(/_(\d+)-/.exec(owner)?.[1]);
  const holder = (["executor", "executor-2"] as const).find((name) => cell.processOf(name)?.pid === pid);
  if (holder === undefined) throw new Error(`${owner} is no executor of the cell`);
  return holder;
}

const ledger = () => createLedger(cell.redis);

describe("the executor dies in the middle of a call", () => {
  test("whose probe finds it done: it counts as executed, once, and the run completes", async () => {
    const run = await submit("mark_then_hang");
    const key = await begun(run);
    await restart();
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    expect(await linesIn(run, "marks.log")).toEqual([key]);
    expect((await statesOf(run, key)).slice(-4)).toEqual([
      "STARTED",
      "OUTCOME_UNKNOWN",
      "RECONCILING",
      "EXECUTED",
    ]);
    expect(await readCall(cell.redis, key)).toMatchObject({ settled: "EXECUTED", status: "ok" });
    expect((await told(run))[key]).toMatchObject({ status: "ok", recovered: true });
    expect(await cell.redis.zscore(globalKeys.unknowns, key)).toBeNull();
  });

  test("whose probe finds it not done: the model hears that it did not run, and the run completes", async () => {
    const run = await submit("hang_then_mark");
    const key = await begun(run);
    await restart();
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    expect(await linesIn(run, "marks.log")).toEqual([]);
    expect(await readCall(cell.redis, key)).toMatchObject({
      settled: "NOT_EXECUTED",
      errorClass: "NOT_EXECUTED",
    });
    expect((await told(run))[key]).toMatchObject({ status: "NOT_EXECUTED", executed: false });
  });

  test("that has no probe: the run goes on, ends as one of unknown outcome, and keeps its artifact", async () => {
    const run = await submit("mark_unseen");
    const key = await begun(run);
    await restart();
    const ended = await cell.ended(run);
    expect(ended).toMatchObject({
      state: "outcome_unknown",
      errorClass: "OUTCOME_UNKNOWN",
      artifactKind: "text",
      turn: 2,
    });
    expect(await linesIn(run, "marks.log")).toEqual([key]);
    expect(await readCall(cell.redis, key)).toMatchObject({ settled: "OUTCOME_UNKNOWN", status: "unknown" });
    const results = await told(run);
    expect(results[key]).toMatchObject({ status: "OUTCOME_UNKNOWN", executed: "unknown" });
    expect(JSON.stringify(results[key])).not.toContain("did not run");
    // its neighbour only read, and was not held up
    expect(results[itemKey({ run, turn: 1, attempt: 1, ordinal: 1 })]).toMatchObject({ status: "ok" });
    expect(await ledger().read(key)).toMatchObject({ state: "NEEDS_HUMAN" });
    const shown = JSON.parse((await airlock("show", run, "--json")).stdout) as JsonObject;
    expect(shown["artifact"]).not.toBeNull();
    const [listed] = JSON.parse((await airlock("ledger", "list", "--run", run, "--json")).stdout) as [
      JsonObject,
    ];
    expect(listed).toMatchObject({ itemKey: key, state: "NEEDS_HUMAN", tool: "mark_unseen", probe: false });
  });

  test("and again while it is probed: it is probed again, and found once", async () => {
    const run = await submit("mark_slow_probe");
    const key = await begun(run);
    await writeFile(fileIn(run, "hold"), "");
    await restart();
    await eventWhere(cell.redis, run, (event) => stateOf(event, key) === "RECONCILING");
    await restart();
    const first = (await ledger().read(key))?.fence ?? 0;
    await rm(fileIn(run, "hold"));
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    expect(await linesIn(run, "marks.log")).toEqual([key]);
    expect((await statesOf(run, key)).filter((state) => state === "EXECUTED")).toHaveLength(1);
    expect((await ledger().read(key))?.fence).toBeGreaterThanOrEqual(first);
  });

  test("beside another one, which finds it out", async () => {
    await cell.start("executor-2");
    const run = await submit("mark_then_hang");
    const key = await begun(run);
    const holder = await holderOf(key);
    await cell.kill(holder);
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    expect(await linesIn(run, "marks.log")).toEqual([key]);
    expect((await told(run))[key]).toMatchObject({ recovered: true });
    if (holder === "executor") await cell.start("executor");
    await cell.kill("executor-2");
  });

  test("only in appearance: what it says when it revives is evidence, and never the outcome", async () => {
    await cell.start("executor-2");
    const run = await submit("mark_then_hang");
    const key = await begun(run);
    const { fence } = (await ledger().read(key)) ?? {};
    const holder = cell.processOf(await holderOf(key));
    holder?.kill("SIGSTOP");
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    const found = await ledger().read(key);
    expect(found).toMatchObject({ state: "EXECUTED", status: "ok" });
    holder?.kill("SIGCONT");
    await until("the late result", async () => (await ledger().read(key))?.evidence !== undefined);
    expect(await ledger().read(key)).toMatchObject({ ...found, evidence: { fence } });
    expect(await linesIn(run, "marks.log")).toEqual([key]);
    await cell.kill("executor-2");
  });
});

describe("a workspace that a call of unknown outcome may have changed", () => {
  test("takes no change until a person has said what became of it, and then it does", async () => {
    const run = await submit("frozen");
    const key = await begun(run);
    await writeFile(fileIn(run, "hold"), "");
    await restart();
    const refused = itemKey({ run, turn: 2, attempt: 1, ordinal: 0 });
    await until(
      `${refused} to settle`,
      async () => (await readCall(cell.redis, refused))?.settled !== undefined,
    );
    expect(await readCall(cell.redis, refused)).toMatchObject({
      settled: "DENIED",
      errorClass: "WORKSPACE_FROZEN",
    });

    const listed = await airlock("ledger", "list", "--run", run);
    expect(listed.stdout).toMatch(/NEEDS_HUMAN.*its probe could not tell/);
    const unread = await airlock("ledger", "resolve", key, "--done");
    expect(unread).toMatchObject({ code: 2 });
    const resolved = await airlock(
      "ledger",
      "resolve",
      key,
      "--done",
      "--reason",
      "the mark is there",
      "--json",
    );
    expect(resolved).toMatchObject({ code: 0 });
    expect(JSON.parse(resolved.stdout)).toMatchObject({
      done: true,
      answer: "resolved",
      finding: "executed",
    });
    expect(await ledger().read(key)).toMatchObject({
      state: "EXECUTED",
      resolution: { finding: "executed", reason: "the mark is there" },
    });

    await rm(fileIn(run, "hold"));
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    const marked = itemKey({ run, turn: 3, attempt: 1, ordinal: 0 });
    expect(await linesIn(run, "marks.log")).toEqual([key, marked]);
    // what the model was told stands
    expect((await told(run))[key]).toMatchObject({ status: "OUTCOME_UNKNOWN", executed: "unknown" });
    expect(await readCall(cell.redis, key)).toMatchObject({ settled: "OUTCOME_UNKNOWN" });

    const again = await airlock("ledger", "resolve", key, "--not-done", "--reason", "I saw none", "--json");
    expect(again).toMatchObject({ code: 1 });
    const { answer, meaning } = JSON.parse(again.stdout) as JsonObject;
    expect(answer).toBe("resolved_before");
    expect(meaning).toContain("the mark is there");
    expect((await airlock("ledger", "list", "--run", run)).stdout).toBe("no call of unknown outcome\n");
    const audit = JSON.stringify(await cell.redis.xrange(globalKeys.audit, "-", "+"));
    expect(audit).toContain("the mark is there");
    expect(audit).toContain("I saw none");
  });

  test("is resolved as not done as well, after the run has ended", async () => {
    const run = await submit("mark_and_wonder");
    const key = await begun(run);
    await restart();
    expect(await cell.ended(run)).toMatchObject({ state: "outcome_unknown" });
    const waits = async () => (await airlock("quarantine", "list", "--run", run)).stdout;
    expect(await waits()).toContain("outcome_unknown");
    const resolved = await airlock("ledger", "resolve", key, "--not-done", "--reason", "looked");
    expect(resolved).toMatchObject({ code: 0 });
    expect(await waits()).toBe("nothing is quarantined\n");
    expect(await ledger().read(key)).toMatchObject({ state: "NOT_EXECUTED" });
    const shown = await airlock("ledger", "show", key);
    expect(shown.stdout).toContain("not_executed");
    expect(shown.stdout).not.toContain("arguments");
    expect((await airlock("events", run)).stdout).toContain("NEEDS_HUMAN");
  });
});

function stateOf(event: RunEvent, key: string): string | null {
  return event.type === "item_state" && event.itemKey === key ? event.state : null;
}
