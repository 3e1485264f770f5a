import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ADAPTERS } from "@airlock/core/wire";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../support/cell.ts";
import { countCall, writeCountingTests } from "../support/counting.ts";
import { program } from "../support/programs.ts";
import { makeRepository } from "../support/repository.ts";
import { REPORT, specOf, writeFixtures } from "../support/story.ts";

let data: string;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;
let up: ChildProcess;
let upOutput = "";

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[]): ChildProcess {
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/tmp", AIRLOCK_DATA: data };
  return spawn(process.execPath, [...program("packages/cli"), ...args], {
    cwd: ROOT,
    env,
  });
}

async function airlock(...args: readonly string[]): Promise<Finished> {
  const child = start(args);
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  const [code] = await once(child, "close");
  return { code: typeof code === "number" ? code : null, stdout, stderr };
}

async function writeSpec(name: string, spec: Readonly<Record<string, unknown>>): Promise<string> {
  const file = path.join(data, `${name}.json`);
  await writeFile(file, JSON.stringify(spec));
  return file;
}

/** The id of the one run that has not ended. */
async function openRun(): Promise<string> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    const runs: readonly { readonly id: string; readonly state: string }[] = JSON.parse(
      (await airlock("runs", "--json")).stdout,
    );
    const open = runs.find((run) => run.state === "running");
    if (open !== undefined) return open.id;
  }
  throw new Error("no run is open");
}

beforeAll(async () => {
  data = await mkdtemp(path.join(tmpdir(), "airlock-cli-"));
  repository = await makeRepository(writeCountingTests);
  fixtures = await writeFixtures({ quick: [[countCall("a")], [REPORT]], slow: [[REPORT]] }, (name) =>
    name === "slow" ? { chunkBytes: 16, delayMs: 1_000 } : null,
  );
  up = start(["up", "--gateway", fixtures.directory, "--source", repository.directory]);
  up.stdout?.on("data", (chunk: Buffer) => (upOutput += chunk.toString("utf8")));
  up.stderr?.on("data", (chunk: Buffer) => (upOutput += chunk.toString("utf8")));
  const deadline = Date.now() + 60_000;
  while (!(await stat(path.join(data, "up.json")).catch(() => null))) {
    if (up.exitCode !== null || Date.now() > deadline) throw new Error(`up did not come up: ${upOutput}`);
    await sleep(100);
  }
});

afterAll(async () => {
  if (up.exitCode === null) {
    const closed = once(up, "close");
    up.kill("SIGTERM");
    await closed;
  }
  await fixtures.remove();
  await repository.remove();
  await rm(data, { recursive: true, force: true });
});

test("run --wait --json prints the one document of the ended run", async () => {
  const spec = await writeSpec("quick", specOf("quick", repository.directory));
  const { code, stdout } = await airlock("run", "--spec", spec, "--wait", "--json");
  const document: { readonly id: string } = JSON.parse(stdout);
  expect(code).toBe(0);
  expect(document).toMatchObject({
    state: "completed",
    turns: [
      {
        number: 1,
        attempts: [{ number: 1, raw: "completed", outcome: "action_required", errorClass: null }],
        calls: [
          {
            itemKey: `${document.id}.1.1.0`,
            tool: "run_command",
            state: "DENIED",
            errorClass: "ROUTE_UNVERIFIED",
          },
        ],
      },
      { number: 2, attempts: [{ number: 1, outcome: "candidate_complete" }], calls: [] },
    ],
    artifact: { kind: "text" },
  });
  expect(JSON.parse((await airlock("show", document.id, "--json")).stdout)).toEqual(document);
  const runs: unknown = JSON.parse((await airlock("runs", "--json")).stdout);
  expect(JSON.stringify(runs)).toContain(document.id);
  expect((await airlock("events", document.id)).stdout).toContain("ROUTE_UNVERIFIED");
});

test("a run that streams is cancelled by its id, and run --wait ends with the exit code for that", async () => {
  const spec = await writeSpec("slow", specOf("slow", repository.directory));
  const waiting = airlock("run", "--spec", spec, "--wait", "--json");
  const id = await openRun();
  const asked = performance.now();
  expect(await airlock("cancel", id)).toMatchObject({ code: 0 });
  const { code, stdout } = await waiting;
  expect({ code, state: JSON.parse(stdout).state }).toEqual({ code: 8, state: "cancelled" });
  expect(performance.now() - asked).toBeLessThan(20_000);
});

test("a run without a spec file is built from flags", async () => {
  const { code, stdout, stderr } = await airlock(
    "run",
    "Fix the failing test",
    "--repo",
    repository.directory,
    "--route",
    "gateway",
    "--model",
    "replay/case/quick",
    "--tools",
    "read_file,run_command",
    "--policy",
    "ci-default",
    "--wait",
    "--json",
  );
  expect({ code, stderr, state: JSON.parse(stdout).state }).toEqual({
    code: 0,
    stderr: "",
    state: "completed",
  });
});

test("a malformed spec is refused with every wrong key and exit code 2", async () => {
  const spec = await writeSpec("bad", { route: "gateway", modle: "x", input: "", tools: "all" });
  const { code, stdout, stderr } = await airlock("run", "--spec", spec);
  expect(code).toBe(2);
  expect(stdout).toBe("");
  for (const word of [spec, "modle", "model", "input", "tools", "policy", "instructions"])
    expect(stderr).toContain(word);
});

test("a second up on the same folder is refused, and the first lives on", async () => {
  const { code, stderr } = await airlock("up", "--gateway", fixtures.directory);
  expect(code).toBe(2);
  expect(stderr).toContain(data);
  expect(up.exitCode).toBeNull();
});

test("unknown commands, flags and runs are named", async () => {
  expect(await airlock("frobnicate")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("frobnicate"),
  });
  expect(await airlock("runs", "--josn")).toMatchObject({ code: 2, stderr: expect.stringContaining("josn") });
  expect(await airlock("show", "r00000000000000000000")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("r00000000000000000000"),
  });
});

test("doctor says how the machine stands, one line each", async () => {
  const { stdout } = await airlock("doctor", "--json");
  const names = JSON.stringify(JSON.parse(stdout));
  for (const part of ["node", "git", "redis", "sandbox", "keys"]) expect(names.toLowerCase()).toContain(part);
});

test("routes says how each route stands", async () => {
  const { code, stdout } = await airlock("routes", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([
    {
      name: "gateway",
      family: "responses",
      models: ["replay/**"],
      effects: "contract",
      limits: { concurrency: null, requestsPerMinute: null },
      breaker: { state: "closed", openUntil: null, mismatches: 0 },
      verified: [],
      reports: [],
    },
    { name: "gateway-chat", family: "chat" },
    { name: "gateway-anthropic", family: "anthropic" },
    { name: "gateway-gemini", family: "gemini" },
    { name: "cometapi", breaker: { state: "closed" } },
  ]);
  expect((await airlock("routes")).stdout).toMatch(/gateway +responses +replay/);
});

test("contract verifies each of the gateway's routes, whatever its family, out of the box", async () => {
  const families = ["chat", "anthropic", "gemini"] as const;
  const played = await Promise.all(
    families.map((family) => airlock("contract", "--route", `gateway-${family}`, "--json")),
  );
  expect(played.map(({ code, stdout }) => ({ code, shown: JSON.parse(stdout) as unknown }))).toMatchObject(
    families.map((family) => ({
      code: 0,
      shown: { family, adapter: ADAPTERS[family].version, passed: true, verified: true },
    })),
  );
  const { stdout } = await airlock("routes");
  for (const family of families)
    expect(stdout).toMatch(new RegExp(`gateway-${family} .*verified for replay/`));
});

test("keys are private, and Ctrl-C drains everything", async () => {
  const record: { readonly pids?: unknown } = JSON.parse(await readFile(path.join(data, "up.json"), "utf8"));
  expect((await stat(path.join(data, "up.json"))).mode & 0o077).toBe(0);
  expect((await stat(path.join(data, "keys/validator.json"))).mode & 0o077).toBe(0);
  const closed = once(up, "close");
  up.kill("SIGINT");
  const [code] = await closed;
  expect(code).toBe(0);
  const pids = JSON.stringify(record).match(/"pid":(\d+)/g) ?? [];
  for (const pid of pids) expect(() => process.kill(Number(pid.slice(6)), 0)).toThrow("ESRCH");
});
