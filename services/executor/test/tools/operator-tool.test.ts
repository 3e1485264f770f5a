import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@airlock/core/json";
import { readOperatorTool } from "@airlock/core/tool";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_SANDBOX_LIMITS } from "../../src/sandbox/index.ts";
import { operatorBodies, type ToolContext, type ToolOutcome } from "../../src/tools/index.ts";
import { backendFixture, temporaryDirectory, treeFixture } from "../workspace/fixture.ts";
import { callTool } from "./tool-fixture.ts";

interface Change {
  readonly effect?: "read" | "mutating";
  readonly limits?: JsonObject;
  readonly command?: (folder: string) => readonly string[];
  readonly context?: Partial<ToolContext>;
  /** The script of its probe. */
  readonly probe?: string;
}

/** A tool whose program is this shell script, called once over a tree with `a.txt`. */
async function run(script: string, args: JsonObject, change: Change = {}) {
  const { effect = "read", limits = {}, command, probe } = change;
  const fixture = await treeFixture();
  writeFileSync(join(fixture.tree, "a.txt"), "one\ntwo\n");
  const folder = join(fixture.root, "tools");
  mkdirSync(folder);
  const program = join(folder, "tool");
  writeFileSync(program, `#!/bin/bash\n${script}\n`);
  chmodSync(program, 0o755);
  const probing = join(folder, "probe");
  if (probe !== undefined) {
    writeFileSync(probing, `#!/bin/bash\n${probe}\n`);
    chmodSync(probing, 0o755);
  }
  const document = {
    apiVersion: "airlock.tool/v1",
    name: "a_tool",
    description: "A tool.",
    inputSchema: { type: "object", additionalProperties: false, properties: {} },
    effect,
    claims: { workspace: effect === "read" ? "read" : "write" },
    limits: { timeoutMs: 20_000, ...limits },
    command: command?.(folder) ?? [program],
    ...(probe === undefined ? {} : { probe: [probing] }),
  };
  const tool = readOperatorTool({ name: "a_tool.json", text: JSON.stringify(document) });
  const bodies = await operatorBodies([tool], { toolchains: [], volume: join(fixture.root, "volume") });
  const body = bodies.get("a_tool");
  if (body === undefined) throw new Error("no body");
  const { outputBytes } = tool.manifest.limits;
  const backend = await backendFixture(join(fixture.root, "state"));
  const session = await backend.open(
    { tree: fixture.tree, git: null },
    { ...DEFAULT_SANDBOX_LIMITS, outputBytes },
  );
  const context: ToolContext = {
    files: fixture.files,
    session,
    missing: [],
    limits: tool.manifest.limits,
    workspace: fixture.workspace,
    source: "/nowhere",
    itemKey: "r.1.1.0",
    name: `call-${fixture.root}`,
    fenceHolds: () => Promise.resolve(true),
    ...change.context,
  };
  return { outcome: await callTool(body, context, args), fixture, body, context };
}

const NO_STDERR = { text: "", omittedBytes: 0 };
const durationMs: unknown = expect.any(Number);

function failure(outcome: ToolOutcome) {
  return outcome.status === "refused" || outcome.status === "unknown"
    ? outcome
    : [outcome.status, outcome.errorClass, outcome.content["detail"]];
}

describe("an operator's tool", () => {
  test("reads its arguments as JSON, and its one JSON value is the result", async () => {
    const { outcome } = await run("wc -l < a.txt >&2; cat", { b: [1, "é"], a: null });
    expect(outcome).toEqual({
      status: "ok",
      errorClass: null,
      content: {
        result: { a: null, b: [1, "é"] },
        stderr: { text: "2\n", omittedBytes: 0 },
        durationMs,
      },
    });
  });

  test("may ignore arguments that are longer than a pipe holds", async () => {
    const { outcome } = await run("echo '[ ]'", { text: "x".repeat(1_000_000) });
    expect(outcome).toEqual({
      status: "ok",
      errorClass: null,
      content: { result: [], stderr: NO_STDERR, durationMs },
    });
  });

  test("gets a megabyte of arguments whole", async () => {
    const { outcome } = await run("wc -c", { text: "x".repeat(1_000_000) });
    expect(outcome).toMatchObject({ status: "ok", content: { result: 1_000_011 } });
  });

  test.each([
    ["nothing", "true", "JSON_EMPTY at offset 0"],
    ["two values", "echo 1; echo 2", "JSON_TRAILING_DATA at offset 2"],
    ["half a value", "printf '{\"a\":'", "JSON_TRUNCATED at offset 5"],
    ["a log line first", "echo working; echo 1", "JSON_SYNTAX at offset 0"],
    ["one key twice", 'echo \'{"a":1,"a":2}\'', "JSON_DUPLICATE_KEY at offset 7"],
    ["bytes that are no UTF-8", "printf '\"\\xff\"'", "BAD_UTF8"],
  ])("that prints %s failed", async (_, script, reason) => {
    const { outcome } = await run(script, {});
    const detail = `stdout is not one strict JSON value: ${reason}`;
    expect(outcome).toEqual({
      status: "error",
      errorClass: "TOOL_FAILED",
      content: { error: "TOOL_FAILED", detail, exitCode: 0, stderr: NO_STDERR, durationMs },
    });
  });

  test("that ends with another exit code failed, and the end of its stderr says why", async () => {
    const { outcome } = await run(
      "head -c 9000 /dev/zero | tr '\\0' x >&2; echo ' no such table' >&2; exit 3",
      {},
    );
    expect(outcome).toEqual({
      status: "error",
      errorClass: "TOOL_FAILED",
      content: {
        error: "TOOL_FAILED",
        detail: "the tool ended with exit code 3",
        exitCode: 3,
        stderr: { text: expect.stringMatching(/^x{4081} no such table\n$/), omittedBytes: 4_919 },
        durationMs,
      },
    });
  });

  test("that is declared to read can't write, and one that is declared to write can", async () => {
    const script = "echo x > new.txt && echo true";
    const reading = await run(script, {});
    expect(failure(reading.outcome)).toEqual(["error", "TOOL_FAILED", "the tool ended with exit code 1"]);
    expect(JSON.stringify(reading.outcome)).toContain("Read-only file system");
    expect(readdirSync(reading.fixture.tree)).toEqual(["a.txt"]);
    const writing = await run(script, {}, { effect: "mutating" });
    expect(writing.outcome).toMatchObject({ status: "ok", content: { result: true } });
    expect(readFileSync(join(writing.fixture.tree, "new.txt"), "utf8")).toBe("x\n");
  });

  test("that hangs is killed with its children", async () => {
    const script = "setsid sleep 987654 & trap '' TERM; sleep 987654";
    const { outcome } = await run(script, {}, { limits: { timeoutMs: 300 } });
    expect(failure(outcome)).toEqual([
      "timeout",
      "TOOL_TIMEOUT",
      "the tool took longer than 300 ms and was killed",
    ]);
    expect(processesWith("987654")).toEqual([]);
  });

  test("that floods stdout is killed", async () => {
    const { outcome } = await run("yes", {}, { limits: { outputBytes: 10_000 } });
    expect(failure(outcome)).toEqual([
      "output_limit",
      "OUTPUT_LIMIT",
      "the tool was killed: it kept writing beyond its limit",
    ]);
  });

  test("that prints one byte over its limit gave nothing, and one at its limit gave all", async () => {
    const at = await run("printf '\"%098d\"' 0", {}, { limits: { outputBytes: 100 } });
    expect(at.outcome).toMatchObject({ status: "ok", content: { result: "0".repeat(98) } });
    const over = await run("printf '\"%099d\"' 0", {}, { limits: { outputBytes: 100 } });
    expect(failure(over.outcome)).toEqual([
      "output_limit",
      "OUTPUT_LIMIT",
      "the tool wrote 101 bytes, more than its limit of 100",
    ]);
  });

  test("starts nothing without a sandbox, or where another executor holds the call", async () => {
    const bare = await run("echo 1", {}, { context: { session: null } });
    expect(bare.outcome).toMatchObject({ status: "refused", errorClass: "SANDBOX_UNAVAILABLE" });
    const lost = await run("echo 1", {}, { context: { fenceHolds: () => Promise.resolve(false) } });
    expect(lost.outcome).toMatchObject({ status: "refused", errorClass: "CLAIM_LOST" });
  });

  test("gets exactly the value that the schema accepted, whatever it holds", async () => {
    const values = fc.dictionary(
      fc.string({ unit: "grapheme" }),
      fc.oneof(fc.string({ unit: "grapheme" }), fc.integer()),
    );
    await fc.assert(
      fc.asyncProperty(values, async (args) => {
        fc.pre(!Object.hasOwn(args, "__proto__"));
        const { outcome } = await run("cat", args);
        expect(outcome).toMatchObject({ status: "ok", content: { result: args } });
      }),
      { numRuns: 5 },
    );
  });

  test("may be a program of the executor's table, with arguments", async () => {
    const { outcome } = await run("", {}, { command: () => ["bash", "-c", 'echo "[$#, 1]"', "tool", "x y"] });
    expect(outcome).toMatchObject({ status: "ok", content: { result: [1, 1] } });
  });
});

describe("an operator's tool with a probe", () => {
  const RECORD = 'cat > /dev/null; echo "$AIRLOCK_IDEMPOTENCY_KEY" >> made; echo true';
  const LOOK =
    'cat >/dev/null; grep -qx "$AIRLOCK_IDEMPOTENCY_KEY" made 2>/dev/null && echo \'"done"\' || echo \'"not_done"\'';
  const signal = AbortSignal.timeout(30_000);

  test("finds its effect by the key that the call had, and finds none of a call with another", async () => {
    const { outcome, body, context, fixture } = await run(
      RECORD,
      { a: 1 },
      { effect: "mutating", probe: LOOK },
    );
    expect(outcome).toMatchObject({ status: "ok" });
    expect(readFileSync(join(fixture.tree, "made"), "utf8")).toBe("r.1.1.0\n");
    const expected = { arguments: { a: 1 } };
    expect(await body.probe?.(context, expected, signal)).toBe("done");
    expect(await body.probe?.({ ...context, itemKey: "r.1.1.1" }, expected, signal)).toBe("not_done");
  });

  test.each([
    ["fails", "exit 1"],
    ["says something else", "echo '\"maybe\"'"],
    ["tries to write", "echo x > new.txt && echo '\"done\"'"],
    ["hangs", "sleep 98123"],
  ])("that %s has found nothing out", async (_, probe) => {
    const change = { effect: "mutating", probe, limits: { timeoutMs: 500 } } as const;
    const { body, context } = await run("echo true", {}, change);
    expect(await body.probe?.(context, { arguments: {} }, signal)).toBe("inconclusive");
  });

  test("reads the same arguments as the call did", async () => {
    const probe = `[ "$(cat)" = '{"a":1}' ] && echo '"done"'`;
    const { body, context } = await run("echo true", { a: 1 }, { effect: "mutating", probe });
    const plan = await body.plan(context, { a: 1 }, signal);
    expect(plan).toMatchObject({ kind: "ready", expected: { arguments: { a: 1 } } });
    expect(await body.probe?.(context, { arguments: { a: 1 } }, signal)).toBe("done");
  });
});

describe("a program is not taken", () => {
  const place = (folder: string, name: string, mode = 0o755): string => {
    const file = join(folder, name);
    writeFileSync(file, "#!/bin/sh\n");
    chmodSync(file, mode);
    return file;
  };
  test.each<[string, (folder: string) => string, RegExp]>([
    ["that the table doesn't have", () => "no-such-program", /no program of this name/],
    ["that is not there", (folder) => join(folder, "nothing"), /there is no such file/],
    ["by a relative path", () => "tools/count", /name a program, or give its absolute path/],
    ["that is a folder", (folder) => folder, /it is no file/],
    [
      "that others may change",
      (folder) => place(folder, "loose", 0o777),
      /others may change it; run: chmod go-w/,
    ],
    ["that can't be run", (folder) => place(folder, "plain", 0o644), /can't run it/],
    ["in the volume of workspaces", (folder) => place(join(folder, "volume"), "own"), /agents may write/],
    [
      "by a link into the volume",
      (folder) => {
        const link = join(folder, "link");
        symlinkSync(place(join(folder, "volume"), "linked"), link);
        return link;
      },
      /agents may write/,
    ],
  ])("%s", async (_, makeWord, message) => {
    const folder = await temporaryDirectory();
    mkdirSync(join(folder, "volume"));
    const text = `apiVersion: airlock.tool/v1
name: a_tool
description: A tool.
inputSchema: { type: object, additionalProperties: false }
effect: read
claims: {}
command: [${JSON.stringify(makeWord(folder))}]
`;
    const tool = readOperatorTool({ name: "tools/a.yaml", text });
    const finding = operatorBodies([tool], { toolchains: [], volume: join(folder, "volume") });
    await expect(finding).rejects.toMatchObject({
      code: "TOOLS_INVALID",
      message: expect.stringMatching(message),
    });
    await expect(finding).rejects.toThrow("tools/a.yaml:7:11: the program ");
  });
});

/** Processes of this machine whose command line holds the text. */
function processesWith(text: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
    } catch {
      return false; // it ended meanwhile
    }
  });
}
