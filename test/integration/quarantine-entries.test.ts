import { createKeyrings, ownCallKey } from "@airlock/core/record";
import { createRouteBreaker } from "@airlock/core/run";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { listQuarantine } from "@airlock/operator/document";
import { openTurns, type Played } from "../support/play-turns.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { createTestValidator, type TestValidator } from "../support/test-validator.ts";
import type { CaseItem, CaseResponse, TurnStep } from "../support/turn-case.ts";

const PATIENT = { mismatches: 100, windowMs: 60_000, openMs: 60_000, probeMs: 60_000 };
const ANY = { run: null, errorClass: null, state: null, limit: 50 } as const;
const NOT_JSON = expect.stringContaining("JSON") as unknown;
const TIME = expect.any(String) as unknown;

let server: RedisServer;
let validator: TestValidator;

beforeAll(async () => {
  server = await startRedis();
  const route = { name: "gateway", family: "responses" } as const;
  validator = createTestValidator(server.redis, route, createRouteBreaker(server.redis, PATIENT));
});
afterAll(async () => {
  await validator.close();
  await server.close();
});
beforeEach(async () => {
  await server.redis.flushall();
});

type Step = TurnStep | readonly [CaseResponse["outcome"], CaseResponse["items"]];

async function played(
  spec: Parameters<typeof openTurns>[2]["spec"],
  steps: readonly Step[],
  policy?: string,
): Promise<Played> {
  const opened = await openTurns(validator, server.redis, {
    family: "responses",
    verified: true,
    spec,
    policy,
  });
  for (const step of steps) await opened.step("length" in step ? { response: responseOf(...step) } : step);
  await opened.close();
  return opened;
}

function responseOf(outcome: CaseResponse["outcome"], items: CaseResponse["items"]): CaseResponse {
  return { outcome, items, errorClass: null, outputTokens: 1, httpStatus: 200, stopSequence: null };
}

function writing(file: string): CaseItem {
  return { tool: "write_file", arguments: { path: file, content: "" }, quarantined: null };
}

const entries = (keyring = validator.keyrings.client) =>
  listQuarantine({ redis: server.redis, keyring }, ANY);

const TEXT = [{ message: "no JSON" }];
const JSON_EXPECTED = { kind: "json", schema: { type: "object", additionalProperties: false } };

test.each([
  ["CORRECTIONS_EXHAUSTED", { limits: { corrections: 0 } }],
  ["BUDGET_TURNS", { limits: { turns: 1 } }],
  ["BUDGET_OUTPUT_TOKENS", { limits: { outputTokens: 1 } }],
])(
  "an output that is not taken is an artifact with its reason, where the run ends by %s",
  async (end, spec) => {
    const { run } = await played({ expect: JSON_EXPECTED, ...spec }, [["candidate_complete", TEXT]]);
    expect(await entries()).toMatchObject([
      { id: run, kind: "run", errorClass: end },
      {
        id: `${run}.1.1`,
        kind: "artifact",
        state: "open",
        errorClass: "ARTIFACT_INVALID",
        reason: NOT_JSON,
        rawUntil: TIME,
      },
    ]);
  },
);

test("an output that was corrected keeps its reason; the one that was taken is none", async () => {
  const { run } = await played({ expect: JSON_EXPECTED }, [
    ["candidate_complete", TEXT],
    ["candidate_complete", [{ message: "{}" }]],
  ]);
  expect(await entries()).toMatchObject([
    { id: `${run}.1.1`, kind: "artifact", state: "passed", reason: NOT_JSON },
  ]);
});

test("a call of the validator's own that policy denies is a call, with the rule that denied it", async () => {
  const policy = `apiVersion: airlock.policy/v1
mode: enforce
paths: { read: { allow: ["**"] }, write: { allow: ["src/**"] } }
rules: [{ id: read, decision: allow, tool: read_file }]
`;
  const patch = "--- a/src/a.js\n+++ b/src/a.js\n@@ -1 +1 @@\n-a\n+b\n";
  const checked = { results: { "airlock.check_patch": { status: "ok", content: { files: 1 } } } } as const;
  const spec = { expect: { kind: "patch", apply: true }, policy: "case" };
  const { run } = await played(spec, [["candidate_complete", [{ message: patch }]], checked], policy);
  expect(await entries()).toMatchObject([
    { id: run, kind: "run", errorClass: "POLICY_FORBIDDEN" },
    {
      id: ownCallKey({ run, turn: 1, attempt: 1 }, "apply"),
      kind: "call",
      tool: "apply_patch",
      callId: null,
      ended: "DENIED",
      rule: "no-match",
      reason: "no rule names this call",
    },
  ]);
});

test("a call that policy let through names no rule when it ends otherwise", async () => {
  const { run } = await played({ tools: ["write_file"], limits: { mutatingCalls: 1 } }, [
    ["tool", [writing("src/a.js"), writing("src/b.js")]],
  ]);
  const call = { kind: "call", tool: "write_file", errorClass: "BUDGET_MUTATING", rule: null, reason: null };
  expect(await entries()).toMatchObject([
    { id: run, kind: "run", errorClass: "BUDGET_MUTATING" },
    call,
    call,
  ]);
});

test("a call that policy refused names the rule that did", async () => {
  await played({ tools: ["write_file"] }, [["tool", [writing("package.json")]]]);
  expect(await entries()).toMatchObject([
    { kind: "call", rule: "paths.write", reason: TIME, errorClass: "POLICY_FORBIDDEN" },
  ]);
});

test("a run whose records the local keys don't open is one entry that says so, and hides no other", async () => {
  const { run } = await played({ expect: JSON_EXPECTED, limits: { corrections: 0 } }, [
    ["candidate_complete", TEXT],
  ]);
  const unreadable = await entries(createKeyrings().client);
  expect(unreadable).toMatchObject([
    {
      id: run,
      kind: "run",
      state: "open",
      ended: "escalated",
      reason: expect.stringMatching(/^its refusals can't be listed: RECORD_INVALID, /),
    },
  ]);
});
