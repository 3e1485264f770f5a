import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CALL_ADVICE } from "@airlock/core/fault";
import type { JsonObject } from "@airlock/core/json";
import { readCall, readRun, readTurn } from "@airlock/core/run";
import { manifestDigest, readOperatorTool, schemaText } from "@airlock/core/tool";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, startCell, type Cell } from "../support/cell.ts";
import { startRecordingProxy, type RecordingProxy } from "../support/recording-proxy.ts";
import { makeRepository } from "../support/repository.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";
import { eventWhere } from "../support/watch.ts";

/** Each tool's script, and what its manifest says besides the defaults of `writeTool`. */
const TOOLS: Readonly<Record<string, { readonly script: string; readonly manifest?: JsonObject }>> = {
  count_lines: {
    script: `#!/usr/bin/env node
const fs = require("node:fs");
const { path } = JSON.parse(fs.readFileSync(0, "utf8"));
console.log(JSON.stringify({ path, lines: fs.readFileSync(path, "utf8").split("\\n").length - 1 }));
`,
    manifest: {
      inputSchema: {
        type: "object",
        additionalProperties: false,
        required: ["path"],
        properties: { path: { type: "string", description: "The file, “as it is”." } },
      },
      claims: { reads: ["path"] },
    },
  },
  write_note: {
    script: "#!/bin/bash\necho noted > note.txt && echo true\n",
    manifest: { effect: "mutating", claims: { workspace: "write" } },
  },
  write_in_secret: { script: "#!/bin/bash\necho x > secret.txt && echo true\n" },
  print_twice: { script: "#!/bin/bash\necho 1; echo 2\n" },
  hang: { script: "#!/bin/bash\nsleep 876543 & sleep 876543\n", manifest: { limits: { timeoutMs: 500 } } },
  flood: { script: "#!/bin/bash\nyes\n", manifest: { limits: { outputBytes: 1_000 } } },
};
const NAMES = Object.keys(TOOLS);

const POLICY = `apiVersion: airlock.policy/v1
mode: enforce
paths: { read: { allow: ["**"], forbid: ["**/*.pem"] } }
rules:
${NAMES.map((name) => `  - { id: ${name.replaceAll("_", "-")}, decision: allow, tool: ${name} }`).join("\n")}
`;

let cell: Cell;
let proxy: RecordingProxy;
let folder: string;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

const fileOf = (name: string): string => path.join(folder, "tools", `${name}.json`);

async function writeTool(name: string, change: JsonObject = {}): Promise<void> {
  const program = path.join(folder, "programs", name);
  const manifest = {
    apiVersion: "airlock.tool/v1",
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: "object", additionalProperties: false, properties: {} },
    effect: "read",
    claims: {},
    command: [program],
    ...TOOLS[name]?.manifest,
    ...change,
  };
  await writeFile(program, TOOLS[name]?.script ?? "");
  await chmod(program, 0o755);
  await writeFile(fileOf(name), JSON.stringify(manifest));
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "airlock-operator-tools-"));
  await chmod(folder, 0o755);
  await mkdir(path.join(folder, "tools"));
  await mkdir(path.join(folder, "programs"));
  await cp(path.join(ROOT, "config/policies"), path.join(folder, "policies"), { recursive: true });
  await writeFile(path.join(folder, "policies/operator.yaml"), POLICY);
  for (const name of NAMES) await writeTool(name);
  repository = await makeRepository();
  const counted = call("count_lines", { path: "README.md" });
  const others = NAMES.filter((name) => name !== "count_lines").map((name) => call(name, {}));
  fixtures = await writeFixtures({
    all: [[counted, call("count_lines", { path: "key.pem" }), ...others], [REPORT]],
    one: [[counted], [REPORT]],
  });
  proxy = await startRecordingProxy();
  cell = await startCell({
    fixtures: fixtures.directory,
    sources: [repository.directory],
    env: {
      AIRLOCK_TOOLS: path.join(folder, "tools"),
      AIRLOCK_POLICIES: path.join(folder, "policies"),
      // a slow machine's pause must not end a call that is to end by its own limits
      AIRLOCK_LEASE_MS: "20000",
    },
    route: { baseUrl: proxy.url },
  });
  proxy.forwardTo(cell.gateway.url);
  await cell.trustRoute();
});

afterAll(async () => {
  await cell.close();
  await proxy.close();
  await fixtures.remove();
  await repository.remove();
  await rm(folder, { recursive: true, force: true });
});

function submit(name: string): Promise<string> {
  return cell.submit(specOf(name, repository.directory, { policy: "operator", tools: NAMES }));
}

/** What a request's conversation holds of results, as the model reads them; durations left out. */
function resultsIn(body: string): readonly unknown[] {
  const { input }: { readonly input: readonly { readonly type: string; readonly output: string }[] } =
    JSON.parse(body);
  return input.flatMap(({ type, output }) => {
    if (type !== "function_call_output") return [];
    const { durationMs: _, ...result }: Readonly<Record<string, unknown>> = JSON.parse(output);
    return [result];
  });
}

const SILENT = { text: "", omittedBytes: 0 };

test("operators' tools run in the sandbox as their manifests say, and the model reads what came of each", async () => {
  const before = proxy.bodies.length;
  const run = await submit("all");
  expect(await cell.ended(run)).toMatchObject({ state: "completed", turn: 2 });
  const [asked = "", told = ""] = proxy.bodies.slice(before);
  expect(resultsIn(told)).toEqual([
    { status: "ok", result: { path: "README.md", lines: 10 }, stderr: SILENT },
    expect.objectContaining({ status: "DENIED", executed: false, error: "POLICY_FORBIDDEN" }),
    { status: "ok", result: true, stderr: SILENT },
    {
      status: "error",
      error: "TOOL_FAILED",
      advice: CALL_ADVICE.TOOL_FAILED,
      detail: "the tool ended with exit code 1",
      exitCode: 1,
      stderr: { text: expect.stringContaining("Read-only file system"), omittedBytes: 0 },
    },
    {
      status: "error",
      error: "TOOL_FAILED",
      advice: CALL_ADVICE.TOOL_FAILED,
      detail: "stdout is not one strict JSON value: JSON_TRAILING_DATA at offset 2",
      exitCode: 0,
      stderr: SILENT,
    },
    {
      status: "timeout",
      error: "TOOL_TIMEOUT",
      advice: CALL_ADVICE.TOOL_TIMEOUT,
      detail: "the tool took longer than 500 ms and was killed",
      exitCode: null,
      stderr: SILENT,
    },
    {
      status: "output_limit",
      error: "OUTPUT_LIMIT",
      advice: CALL_ADVICE.OUTPUT_LIMIT,
      detail: "the tool was killed: it kept writing beyond its limit",
      exitCode: null,
      stderr: SILENT,
    },
  ]);
  const tree = path.join(cell.volume, run, "tree");
  expect(await readFile(path.join(tree, "note.txt"), "utf8")).toBe("noted\n");
  await expect(readFile(path.join(tree, "secret.txt"))).rejects.toThrow("ENOENT");
  await expectSameSchema(run, asked);
});

/** The bytes that the model was sent are those of the schema that is enforced, and the pinned digest is theirs. */
async function expectSameSchema(run: string, body: string): Promise<void> {
  const { manifest } = readOperatorTool({ name: "f", text: await readFile(fileOf("count_lines"), "utf8") });
  const begin = '"name":"count_lines","description":"The tool count_lines.","parameters":';
  const sent = body.slice(body.indexOf(begin) + begin.length).split(',"strict":false}')[0] ?? "";
  expect(sent).toBe(schemaText(manifest));
  const inputSchema: JsonObject = JSON.parse(sent);
  const pinned = (await readRun(cell.redis, run))?.plan?.tools.find(({ name }) => name === "count_lines");
  expect(pinned?.digest).toBe(manifestDigest({ ...manifest, inputSchema }));
}

async function granted(run: string): Promise<void> {
  await eventWhere(
    cell.redis,
    run,
    (event) => event.type === "item_state" && event.state === "POLICY_APPROVED",
  );
  for (;;) {
    const turn = await readTurn(cell.redis, run, 1);
    const [key = ""] = [...(turn?.calls.keys() ?? [])];
    if (key !== "" && ((await readCall(cell.redis, key))?.grant ?? 0) > 0) return;
    await sleep(20);
  }
}

const FIX = "give every service the same tools (AIRLOCK_TOOLS) and submit the run again";
const CHANGED = { description: "Another tool." };

test("an executor with another manifest runs nothing, and the run ends for that reason", async () => {
  await cell.kill("executor"); // its pool still counts on it
  const run = await submit("one");
  await granted(run);
  await writeTool("count_lines", CHANGED);
  await cell.start("executor");
  expect(await cell.ended(run)).toMatchObject({
    state: "failed",
    errorClass: "TOOL_DRIFT",
    detail: `an executor has another manifest of the tool count_lines than the run pinned; ${FIX}`,
  });
  await writeTool("count_lines");
});

test("a validator that comes back with another manifest ends the runs that pinned the first one", async () => {
  await cell.kill("executor"); // its pool still counts on it
  const run = await submit("one");
  await granted(run);
  await cell.kill("validator", "SIGTERM");
  await writeTool("count_lines", CHANGED);
  await cell.start("validator");
  await writeTool("count_lines");
  await cell.start("executor");
  expect(await cell.ended(run)).toMatchObject({
    state: "failed",
    errorClass: "TOOL_DRIFT",
    detail: `the tool count_lines changed since the run was admitted; ${FIX}`,
  });
});
