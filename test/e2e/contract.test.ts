import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { ADAPTERS } from "@airlock/core/wire";
import { afterAll, beforeAll, expect, test } from "vitest";
import { routeVerified } from "../../services/validator/src/contract/route-verified.ts";
import { airlockBeside, type Airlock } from "../support/airlock.ts";
import { ROOT, startCell, type Cell } from "../support/cell.ts";
import { call, REPORT, writeFixtures } from "../support/story.ts";

const README = call("read_file", { path: "README.md" });
const FILES = call("list_files", { path: ".", depth: 1 });

let cell: Cell;
let airlock: Airlock;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

/** Whether the validator would let calls with effects run on the gateway's route. */
async function verified(): Promise<boolean> {
  const deps = { redis: cell.redis, keyring: cell.keyrings.validator };
  return routeVerified(deps, { route: "gateway", adapter: ADAPTERS.responses.version, covers: "replay/**" });
}

beforeAll(async () => {
  // a case per scenario; `text` calls a tool, `tool_call` is cut in its first attempt
  fixtures = await writeFixtures(
    {
      "broken-text": [[README], [REPORT]],
      "broken-tool_call": [[README], [REPORT]],
      "broken-parallel_calls": [[FILES, call("read_file", { path: 7 })], [REPORT]],
      serial: [[FILES], [README], [REPORT]],
    },
    (name) => (name === "broken-tool_call" ? { cutAtByte: 600 } : null),
  );
  cell = await startCell({
    fixtures: fixtures.directory,
    sources: [ROOT],
    services: ["streamer", "validator"],
  });
  const file = path.join(fixtures.directory, "routes.yaml");
  const own: { readonly routes: object } = JSON.parse(
    await readFile(path.join(cell.directory, "routes.yaml"), "utf8"),
  );
  const comet = { family: "chat", baseUrl: "cometapi", models: ["**"] };
  await writeFile(file, JSON.stringify({ routes: { ...own.routes, comet } }));
  airlock = await airlockBeside(cell, file);
});

afterAll(async () => {
  await cell.close();
  await fixtures.remove();
  await airlock.remove();
});

const contract = (...args: readonly string[]) => airlock("contract", ...args);

const CLEAN = { state: "completed", firstAttempts: true };

test("a route that keeps its contract passes every scenario, and what it sent is recorded", async () => {
  const { code, stdout, stderr } = await contract(
    "--route",
    "gateway",
    "--record",
    path.join(fixtures.directory, "recorded"),
    "--json",
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({
    route: "gateway",
    family: "responses",
    adapter: "responses@2",
    passed: true,
    verified: true,
    scenarios: [
      {
        scenario: "text",
        demand: "passed",
        verdict: "passed",
        adapter: "responses@2",
        covers: "replay/**",
        observed: { ...CLEAN, turns: 1, calls: 0, validCalls: 0, distinctCalls: 0 },
        reasons: [],
        recorded: ["text.1.sse"],
      },
      {
        scenario: "tool_call",
        verdict: "passed",
        observed: { ...CLEAN, turns: 2, calls: 1, validCalls: 1, distinctCalls: 1 },
        recorded: ["tool_call.1.sse", "tool_call.2.sse"],
      },
      {
        scenario: "parallel_calls",
        demand: "not_failed",
        verdict: "passed",
        observed: { ...CLEAN, turns: 2, calls: 2, validCalls: 2, distinctCalls: 2 },
        recorded: ["parallel_calls.1.sse", "parallel_calls.2.sse"],
      },
    ],
  });
  const recorded = await readFile(path.join(fixtures.directory, "recorded/parallel_calls.1.sse"), "utf8");
  const sent = await readFile(
    path.join(fixtures.directory, "demo/contract/responses/parallel_calls.1.sse"),
    "utf8",
  );
  expect(await verified()).toBe(true);
  expect(recorded).toHaveLength(sent.length);
  expect(recorded).toContain(String.raw`"arguments":"{\"path\":\"README.md\"}"`);
  expect(await readFile(path.join(fixtures.directory, "recorded/text.1.sse"), "utf8")).not.toContain("Ready");
});

test("what was recorded of a route passes as the route did", async () => {
  const { code, stdout } = await contract("--route", "gateway", "--model", "replay/recorded/{scenario}");
  expect({ code, passed: stdout.match(/ {2}passed {2}completed/g)?.length }).toEqual({ code: 0, passed: 3 });
});

test("a route that breaks it fails, with what was observed of each scenario, and is closed", async () => {
  const { code, stdout } = await contract("--route", "gateway", "--model", "replay/case/broken-{scenario}");
  expect(code).toBe(1);
  const failed = stdout.split("\n").filter((line) => line.includes("  FAILED  "));
  expect(failed.map((line) => line.split(/ {2,}/).slice(0, 4))).toEqual([
    [
      "text",
      "passed",
      "FAILED",
      "completed in 2 turns; 1 call in the first, none of them valid; no retry; TOOL_UNKNOWN",
    ],
    [
      "tool_call",
      "passed",
      "FAILED",
      "escalated in 1 turn; 0 calls in the first; with retries; STREAM_TRUNCATED; ATTEMPTS_EXHAUSTED",
    ],
    [
      "parallel_calls",
      "not failed",
      "FAILED",
      "completed in 2 turns; 2 calls in the first, 1 of them valid; no retry; SCHEMA_VIOLATION",
    ],
  ]);
  expect(stdout).toContain("route gateway is not verified");
  expect(await verified()).toBe(false);
});

test("a model that calls one tool after the other shows nothing of parallel calls, and the route is open", async () => {
  const serial = ["--model", "replay/case/serial", "--scenario", "parallel_calls"];
  const others = ["--scenario", "text", "--scenario", "tool_call"];
  expect(await contract("--route", "gateway", ...others)).toMatchObject({ code: 0 });
  expect(await verified()).toBe(false); // parallel calls came out wrong before
  const { code, stdout } = await contract("--route", "gateway", ...serial, "--json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    passed: false,
    verified: true,
    scenarios: [{ verdict: "not_shown", observed: { ...CLEAN, turns: 3, calls: 1 } }],
  });
  expect(await verified()).toBe(true);
});

test("a route to CometAPI needs --live, a known name and a model", async () => {
  expect(await contract("--route", "comet", "--model", "m")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--live"),
  });
  expect(await contract("--route", "comet", "--live")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--model"),
  });
  expect(await contract("--route", "other")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/"other" is none of: gateway, .*, comet/),
  });
  expect(await contract("--route", "gateway", "--scenario", "all")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("parallel_calls"),
  });
});
