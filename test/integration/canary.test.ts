import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { readCall, readTurn } from "@airlock/core/run";
import { composeStream } from "@airlock/replay";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCell, type Cell } from "../support/cell.ts";
import { until } from "../support/forge.ts";
import { makeRepository } from "../support/repository.ts";
import { dumpKeys, readServices, recordCommands } from "../support/sinks.ts";
import { call, REPORT, specOf, writeFixtures } from "../support/story.ts";

const SECRET = randomBytes(8).toString("hex");
const planted: string[] = [];

/** A text that must show up nowhere; the place in it tells where a leak comes from. */
function canary(place: string): string {
  const text = `canary-${place}-${SECRET}`;
  planted.push(text);
  return text;
}

/** The forms in which the secret could stand in a text: plain, in hex, and in base64 at each of the three offsets. */
const FORMS: readonly string[] = [
  SECRET,
  Buffer.from(SECRET).toString("hex"),
  ...[0, 1, 2].map((offset) =>
    Buffer.from(`${" ".repeat(offset)}${SECRET}`)
      .toString("base64")
      .slice(offset === 0 ? 0 : 4, 20),
  ),
];

function leaks(text: string): readonly string[] {
  return FORMS.flatMap((form) => {
    const at = text.indexOf(form);
    return at < 0 ? [] : [text.slice(Math.max(at - 120, 0), at + form.length + 20)];
  });
}

let cell: Cell;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;
let commands: Awaited<ReturnType<typeof recordCommands>>;
const runs: Record<string, string> = {};

beforeAll(async () => {
  repository = await makeRepository(async (directory) => {
    await writeFile(path.join(directory, "README.md"), `# ${canary("file")}\n`);
    const said = canary("output");
    await writeFile(
      path.join(directory, "test/said.test.js"),
      `import test from "node:test";\ntest("${said}", () => { throw new Error("${said}"); });\n`,
    );
  });
  const path404 = `docs/${canary("path")}.md`;
  fixtures = await writeFixtures({
    story: [
      [
        { kind: "reasoning", summary: canary("reasoning") },
        call("read_file", { path: "README.md" }),
        call("read_file", { path: path404 }),
        call("run_command", { argv: ["node", "--test", "test/said.test.js"] }),
      ],
      [
        call("write_file", { path: "src/x.js", content: `// ${canary("content")}\n` }),
        call("apply_patch", {
          patch: `--- a/src/x.js\n+++ b/src/x.js\n@@ -1 +1 @@\n-${canary("patch")}\n+x\n`,
        }),
        call("apply_patch", { patch: canary("nopatch") }),
        call(`tool_${canary("tool")}`, {}),
        call("read_file", { path: "README.md", [canary("property")]: 1 }),
        call("write_file", { path: `.github/${canary("forbidden")}.yml`, content: "" }),
        call("write_file", { path: `../${canary("outside")}`, content: "" }),
        call("run_command", { argv: ["node", "--eval", canary("argv")] }),
        call("run_command", { argv: ["node", "--test", `test/${canary("missing")}.test.js`] }),
      ],
      [{ kind: "message", text: `Nearly: ${canary("message")}` }],
      [{ kind: "message", text: `## Summary\n\n${canary("report")}\n` }],
    ],
    refused: [[REPORT]],
    cut: [[call("write_file", { path: "src/y.js", content: canary("cut") })]],
    error: [[REPORT]],
    broken: [[REPORT], [REPORT]],
  });
  const at = (name: string): string => path.join(fixtures.directory, "case", name);
  await mkdir(path.join(fixtures.directory, "case"), { recursive: true });
  const refusal = { httpStatus: 400, body: JSON.stringify({ error: { message: canary("refusal") } }) };
  await writeFile(at("refused.1.json"), JSON.stringify(refusal));
  await writeFile(at("cut.1.json"), JSON.stringify({ cutAtByte: 2_600 }));
  const error = {
    type: "error",
    code: "server_error",
    message: canary("error"),
    param: null,
    sequence_number: 2,
  };
  await writeFile(at("error.1.sse"), `event: error\ndata: ${JSON.stringify(error)}\n\n`);
  // two values where one belongs
  const stream = composeStream("responses", {
    id: "b",
    items: [call("read_file", { path: canary("twice") })],
  });
  await writeFile(at("broken.1.sse"), stream.replaceAll(/\\"\}"/g, String.raw`\"}{}"`));
  cell = await startCell({
    fixtures: fixtures.directory,
    sources: [repository.directory],
    env: { AIRLOCK_LOG_LEVEL: "debug" },
  });
  await cell.trustRoute();
  commands = await recordCommands(cell.redis);
  const limits = { attempts: 1, corrections: 2, turns: 6 };
  for (const name of ["story", "refused", "cut", "error", "broken"]) {
    runs[name] = await cell.submit(
      specOf(name, repository.directory, {
        instructions: `Do ${canary("instructions")}.`,
        input: `Take ${canary("input")}.`,
        expect: { kind: "report", sections: ["Summary"] },
        limits,
      }),
    );
  }
  for (const run of Object.values(runs)) await cell.ended(run, 120_000);
}, 180_000);

afterAll(async () => {
  commands.stop();
  await cell.close();
  await fixtures.remove();
  await repository.remove();
});

async function callsOf(name: string, turn: number): Promise<readonly string[]> {
  const hash = await readTurn(cell.redis, runs[name] ?? "", turn);
  const calls = await Promise.all([...(hash?.calls.keys() ?? [])].map((key) => readCall(cell.redis, key)));
  return calls.map((call) => `${call?.tool} ${call?.settled} ${call?.errorClass ?? call?.status}`);
}

describe("a secret in prompts, arguments, files, output and reports", () => {
  test("went all the way through: every kind of call and every kind of end took place", async () => {
    const states = [
      ...(await callsOf("story", 1)),
      ...(await callsOf("story", 2)),
      ...(await callsOf("broken", 1)),
    ];
    const ends: Record<string, unknown> = {};
    for (const [name, run] of Object.entries(runs)) {
      const { state, errorClass } = await cell.ended(run);
      ends[name] = `${state} ${errorClass ?? ""}`.trim();
    }
    expect({ states, ends }).toEqual({
      states: [
        "read_file EXECUTED ok",
        "read_file EXECUTED PATH_REFUSED",
        "run_command EXECUTED ok",
        "write_file EXECUTED ok",
        "apply_patch EXECUTED PATCH_REFUSED",
        "apply_patch DENIED POLICY_FORBIDDEN",
        "(unregistered) QUARANTINED TOOL_UNKNOWN",
        "read_file QUARANTINED SCHEMA_VIOLATION",
        "write_file DENIED POLICY_FORBIDDEN",
        "write_file DENIED POLICY_FORBIDDEN",
        "run_command DENIED POLICY_FORBIDDEN",
        "run_command EXECUTED ok",
        "read_file QUARANTINED JSON_TRAILING_DATA",
      ],
      ends: {
        story: "completed",
        refused: "failed REQUEST_REFUSED",
        cut: "escalated ATTEMPTS_EXHAUSTED",
        error: "escalated ATTEMPTS_EXHAUSTED",
        broken: "completed",
      },
    });
    expect(planted.length).toBeGreaterThan(20);
  });

  test("is found by this search where it is", () => {
    for (const encoding of ["utf8", "hex", "base64", "base64url"] as const) {
      for (const before of ["", "a", "ab"]) {
        expect(leaks(Buffer.from(`${before}${SECRET} and more`).toString(encoding))).not.toEqual([]);
      }
    }
  });

  test("is in no log line and in no answer of a service", async () => {
    for (const [sink, text] of await readServices(cell)) {
      expect(text.length).toBeGreaterThan(0);
      expect({ sink, leaks: leaks(text) }).toEqual({ sink, leaks: [] });
    }
  });

  test("is in no command that Redis was given: no queue payload, no event, no key", async () => {
    await until("the last command", async () => commands.lines.some((line) => line.includes("run_ended")));
    const all = commands.lines.join("\n");
    for (const seen of ["turns", "items", "executions.default", "results"])
      expect(all).toContain(`{airlock:${seen}}`);
    expect(commands.lines.flatMap(leaks)).toEqual([]);
  });

  test("is in no key that is left", async () => {
    const dump = await dumpKeys(cell.redis);
    for (const family of [":spec", ":run", ":item:", ":call:", ":ledger:", ":conversation", ":events"]) {
      expect([...dump.keys()].filter((key) => key.includes(family))).not.toEqual([]);
    }
    for (const [key, text] of dump) expect({ key, leaks: leaks(text) }).toEqual({ key, leaks: [] });
  });
});
