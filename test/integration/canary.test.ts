import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { readCall, readTurn } from "@airlock/core/run";
import { composeStream } from "@airlock/replay";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { globalKeys } from "@airlock/core/store";
import { startCell, type Cell } from "../support/cell.ts";
import { startTestConsole, type TestConsole } from "../support/console.ts";
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
/** A run whose one call waits for a person. */
let asked: string;
let desk: TestConsole;

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
    asked: [[call("git_push", { branch: `agent/${canary("branch")}` })], [REPORT]],
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
    env: { AIRLOCK_LOG_LEVEL: "debug", UNRELATED_TOKEN: canary("environment") },
    envOf: (name): Readonly<Record<string, string>> =>
      name === "streamer" ? { COMETAPI_KEY: canary("apikey") } : {},
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
  const tools = ["git_push"];
  asked = await cell.submit(
    specOf("asked", repository.directory, { input: canary("asked"), tools, labels: { team: "shop" } }),
  );
  await until("the question", async () => (await cell.redis.zcard(globalKeys.approvals)) === 1);
  desk = await startTestConsole({ redis: cell.redis, keyrings: cell.keyrings });
}, 180_000);

afterAll(async () => {
  commands.stop();
  await desk.close();
  await cell.close();
  await fixtures.remove();
  await repository.remove();
});

async function callsOf(name: string, turn: number): Promise<readonly string[]> {
  const hash = await readTurn(cell.redis, runs[name] ?? "", turn);
  const calls = await Promise.all([...(hash?.calls.keys() ?? [])].map((key) => readCall(cell.redis, key)));
  return calls.map((call) => `${call?.tool} ${call?.settled} ${call?.errorClass ?? call?.status}`);
}

/** A viewer may not see what would run, and not every run has something set aside. */
function statusOf(path: string): unknown {
  if (path.startsWith("/api/v1/approvals/")) return 403;
  return path.startsWith("/api/v1/quarantine/") ? expect.any(Number) : 200;
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

  test("is in no page, board and answer of the console but where arguments and artifacts are read on purpose", async () => {
    const item = `${asked}.1.1.0`;
    const unread = [asked, runs["refused"], runs["cut"], runs["error"]];
    const pages = [
      "/runs",
      "/approvals",
      `/approvals/${item}`,
      "/quarantine",
      "/routes",
      "/executors",
      "/unknown",
      ...unread.map((run) => `/runs/${run}`),
      "/board",
      "/board/queue/approvals?status=delayed",
      `/board/queue/approvals/${item}.1`,
      "/board/api/queues?activeQueue=approvals&status=delayed&page=1&jobsPerPage=10",
      `/board/api/queues/approvals/${item}.1`,
      `/board/api/queues/approvals/${item}.1/logs`,
    ];
    const operator = ["/audit"];
    const [viewer, other] = [await desk.login("viewer"), await desk.login("operator")];
    const answers = [
      "runs",
      "approvals",
      `approvals/${item}`,
      "quarantine",
      "unknown",
      "decisions",
      "routes",
      "pools",
      ...unread.flatMap((run) => [`runs/${run}/events?follow=false`, `quarantine/${run}`]),
      ...Object.values(runs).map((run) => `runs/${run}/events?follow=false`),
    ].map((name) => `/api/v1/${name}`);
    for (const path of [...pages, ...operator, ...answers]) {
      const by = operator.includes(path) ? other : viewer;
      const answer = answers.includes(path) ? await desk.ask("viewer", "GET", path) : await by.get(path);
      const text = await answer.text();
      expect({ path, status: answer.status, leaks: leaks(text) }).toEqual({
        path,
        status: statusOf(path),
        leaks: [],
      });
    }
    const board = await viewer.get(
      "/board/api/queues?activeQueue=approvals&status=delayed&page=1&jobsPerPage=10",
    );
    expect(await board.text()).toContain(`${item}.1`);
    // where it is read on purpose it is, so that the search is shown to see
    const shown = await (await desk.login("approver")).get(`/approvals/${item}/arguments`);
    expect(leaks(await shown.text())).not.toEqual([]);
  });

  test("is in nothing that the console logs, counts or keeps of what it refused", async () => {
    const wrong = {
      spec: { route: canary("route"), model: canary("model"), [canary("field")]: canary("value") },
    };
    const refused = await desk.ask("submitter", "POST", "/api/v1/runs", wrong);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    await desk.ask("viewer", "GET", `/api/v1/runs/${canary("run")}`);
    await desk.ask("viewer", "GET", `/nothing/${canary("nothing")}?q=${canary("query")}`);
    const told = [JSON.stringify(desk.log), await desk.deps.metrics.text()];
    for (const text of told) expect(leaks(text)).toEqual([]);
  });

  test("is in no label of a metric, and what was counted of it is told", async () => {
    const texts = await readServices(cell);
    const counted: Readonly<Record<string, readonly RegExp[]>> = {
      "streamer's /metrics": [
        /^airlock_stream_lag_seconds_count\{.*route="gateway".*\} [1-9]/m,
        /^airlock_stream_bytes_total\{route="gateway".*\} [1-9]/m,
        /^airlock_event_loop_delay_seconds\{quantile="0.99"/m,
      ],
      "validator's /metrics": [
        /^airlock_quarantines_total\{class="TOOL_UNKNOWN".*\} 1$/m,
        /^airlock_policy_decisions_total\{policy="ci-default",decision="forbid".*\} [1-9]/m,
        /^airlock_policy_evaluation_seconds_count\{.*policy="ci-default".*\} [1-9]/m,
        /^airlock_policy_info\{policy="ci-default",mode="enforce",digest="[0-9a-f]{64}".*\} 1$/m,
        /^airlock_outcomes_total\{route="gateway",outcome="indeterminate".*\} [1-9]/m,
        /^airlock_approvals_pending\{.*\} 1$/m,
        /^airlock_queue_jobs\{queue="approvals",state="delayed".*\} 1$/m,
        /^airlock_queue_jobs\{queue="executions.default",state="waiting".*\} 0$/m,
        /^airlock_installation_read\{.*\} 1$/m,
      ],
      "executor's /metrics": [
        /^airlock_ledger_transitions_total\{transition="claim".*\} [1-9]/m,
        /^airlock_ledger_transitions_total\{transition="begin".*\} [1-9]/m,
        /^airlock_ledger_transitions_total\{transition="commit".*\} [1-9]/m,
        /^airlock_sandbox_starts_total\{backend="bwrap",result="exited".*\} [1-9]/m,
        /^airlock_jobs_handled_total\{queue="executions.default".*\} [1-9]/m,
        /^airlock_policy_info\{policy="ci-default"/m,
      ],
    };
    const missing = Object.entries(counted).flatMap(([sink, lines]) =>
      lines.filter((line) => !line.test(texts.get(sink) ?? "")).map((line) => `${sink}: ${line.source}`),
    );
    expect(missing).toEqual([]);
    const labels = [...texts].flatMap(([sink, text]) =>
      sink.endsWith("/metrics") ? [...text.matchAll(/="((?:[^"\\]|\\.)*)"/g)].map(([, value]) => value) : [],
    );
    const named = ["read_file", "write_file", "git_push", "replay/case/story", "(unregistered)", "other"];
    expect(named.filter((name) => labels.includes(name))).toEqual([]);
    expect(labels.filter((value) => Object.values(runs).some((run) => value?.includes(run)))).toEqual([]);
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
