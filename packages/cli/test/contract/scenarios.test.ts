import { CONTRACT_SCENARIOS, parseRoutes, type Route } from "@airlock/core/run";
import { describe, expect, test } from "vitest";
import {
  contractText,
  gatewayModels,
  scenarioModels,
  scenarioResult,
  scenarioSpec,
  type ScenarioPlayed,
} from "../../src/contract/index.ts";
import { paper } from "../view/screen.ts";

const QUIET = { errorCode: null, nativeReason: null, flags: [] };

describe("the models that play", () => {
  test.each<[string, Partial<Route>, string | undefined, Readonly<Record<string, string>> | string]>([
    [
      "the named one",
      { models: ["**"] },
      "gpt-5",
      { text: "gpt-5", tool_call: "gpt-5", parallel_calls: "gpt-5" },
    ],
    [
      "one for each scenario",
      { models: ["**"] },
      "replay/{scenario}",
      { text: "replay/text", tool_call: "replay/tool_call", parallel_calls: "replay/parallel_calls" },
    ],
    ["the only one", { models: ["m"] }, undefined, { text: "m", tool_call: "m", parallel_calls: "m" }],
    [
      "recordings, where the route has nothing else",
      { models: ["replay/**"] },
      undefined,
      gatewayModels("responses"),
    ],
    [
      "recordings of the route's own family",
      { models: ["replay/**"], family: "gemini" },
      undefined,
      {
        text: "replay/demo/contract/gemini/text",
        tool_call: "replay/demo/contract/gemini/tool_call",
        parallel_calls: "replay/demo/contract/gemini/parallel_calls",
      },
    ],
    ["nobody, where there is a choice", { models: ["a", "b"] }, undefined, "name one with --model"],
    ["nobody, where anything goes", { models: ["**"] }, undefined, "name one with --model"],
    ["nobody, where the route doesn't take it", { models: ["replay/**"] }, "gpt-5", "takes no gpt-5"],
  ])("are %s", (_, change, given, expected) => {
    const file = '{"routes":{"r":{"family":"responses","baseUrl":"http://localhost","models":["m"]}}}';
    const plain = parseRoutes(file, "test").get("r");
    if (plain === undefined) throw new Error("the route is missing");
    const play = () => scenarioModels({ name: "r", route: { ...plain, ...change } }, given);
    if (typeof expected === "string") expect(play).toThrow(expected);
    else expect(play()).toEqual(expected);
  });
});

test.each(CONTRACT_SCENARIOS)("the spec of %s names its scenario and needs no workspace", (scenario) => {
  const spec = scenarioSpec(scenario, { route: "r", model: "m", policy: "p" });
  expect(spec).toMatchObject({ route: "r", model: "m", policy: "p", contract: scenario });
  expect(spec.workspace).toBeUndefined();
});

const PLAYED: ScenarioPlayed = {
  scenario: "tool_call",
  model: "m",
  document: {
    id: "r1",
    state: "escalated",
    outcome: "indeterminate",
    reason: "ATTEMPTS_EXHAUSTED",
    pool: null,
    turns: [
      {
        number: 1,
        attempts: [
          { number: 1, raw: null, outcome: "indeterminate", errorClass: "STREAM_TRUNCATED", ...QUIET },
          { number: 2, raw: null, outcome: "indeterminate", errorClass: "STREAM_TRUNCATED", ...QUIET },
        ],
        calls: [],
      },
    ],
    used: { turns: 1, calls: 0, mutatingCalls: 0, outputTokens: 0, unreportedAttempts: 0 },
    artifact: null,
    partial: null,
  },
  report: {
    version: 1,
    run: "r1",
    route: "r",
    adapter: "responses@2",
    covers: "m\u001b[2J",
    scenario: "tool_call",
    passed: false,
    shown: true,
    observed: JSON.stringify({
      state: "escalated",
      turns: 1,
      firstAttempts: false,
      calls: 2,
      validCalls: 1,
      distinctCalls: 1,
    }),
  },
};

describe("a played scenario", () => {
  test.each([
    ["passed", { passed: true }],
    ["failed", { passed: false }],
    ["not_shown", { passed: false, shown: false }],
  ])("is %s by its report", (verdict, change) => {
    const report = PLAYED.report === null ? null : { ...PLAYED.report, ...change };
    expect(scenarioResult({ ...PLAYED, report })).toMatchObject({ verdict });
  });

  test("names each error class once, and shows what the validator observed", () => {
    const refused = { ...PLAYED, report: null };
    const text = contractText(paper(), {
      route: "r",
      family: "responses",
      adapter: "responses@2",
      passed: false,
      verified: false,
      scenarios: [scenarioResult(PLAYED), scenarioResult(refused)],
    });
    expect(text.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["SCENARIO", "NEEDED", "REPORT", "OBSERVED", "COVERS", "RUN"],
      [
        "tool_call",
        "passed",
        "FAILED",
        "escalated in 1 turn; 2 calls in the first, 1 of them valid, only 1 told apart by id; with retries; " +
          "STREAM_TRUNCATED; ATTEMPTS_EXHAUSTED",
        "m",
        "r1",
      ],
      ["tool_call", "passed", "NO REPORT", "nothing; STREAM_TRUNCATED; ATTEMPTS_EXHAUSTED", "-", "r1"],
      [""],
      ["route r is not verified: no call runs unless the route lets reads run"],
    ]);
  });

  test("keeps its verdict where a newer validator observed something else", () => {
    const report = PLAYED.report === null ? null : { ...PLAYED.report, observed: '{"other":1}' };
    expect(scenarioResult({ ...PLAYED, report })).toMatchObject({ verdict: "failed", observed: null });
  });
});
