import { describe, expect, test } from "vitest";
import { isFinalRun, parseRunSpec, RUN_STATES, type RunState } from "@airlock/core/run";

const least = { route: "gateway", model: "m", instructions: "", input: "go", policy: "ci-default" };

describe("a spec", () => {
  test("gets the documented defaults", () => {
    expect(parseRunSpec(least, "spec.yaml")).toEqual({
      ...least,
      tools: [],
      expect: { kind: "text" },
      onTruncated: "larger_budget",
      stopSequences: [],
      parallel: "on",
      allOrNothing: false,
      limits: {
        turns: 100,
        calls: 500,
        mutatingCalls: 200,
        attempts: 3,
        corrections: 2,
        continuations: 5,
        maxOutputTokens: null,
        maxOutputTokensCap: 64_000,
        outputTokens: null,
        deadlineMs: 3_600_000,
      },
      labels: {},
      priority: 5,
    });
  });

  test("may say how the model chooses, and does not where it leaves that out", () => {
    expect(parseRunSpec({ ...least, temperature: 0, topP: 1 }, "spec")).toMatchObject({
      temperature: 0,
      topP: 1,
    });
    const wrong = { ...least, temperature: 2.1, topP: -1 };
    expect(() => parseRunSpec(wrong, "spec")).toThrow(/(?=[^]*temperature:)(?=[^]*topP:)/);
  });

  test("names the file and every key that is wrong, at once", () => {
    const wrong = { ...least, input: 1, tool: [], limits: { turns: 0 }, workspace: { source: "/a" } };
    expect(() => parseRunSpec(wrong, "spec.yaml")).toThrow(
      expect.objectContaining({
        code: "SPEC_INVALID",
        message: expect.stringMatching(
          /spec\.yaml\n(?=[^]*input:)(?=[^]*workspace\.ref:)(?=[^]*limits\.turns:)(?=[^]*"tool")/,
        ),
      }),
    );
  });

  test.each<[unknown]>([[null], [undefined], ["text"], [[]], [1]])("is not %j", (input) => {
    expect(() => parseRunSpec(input, "spec.yaml")).toThrow(/spec\.yaml\n {2}\(top\): /);
  });

  test.each([
    ["no input", { input: "" }],
    ["more attempts than the limit", { limits: { attempts: 21 } }],
    ["a fraction of a turn", { limits: { turns: 1.5 } }],
    ["an unknown kind of artifact", { expect: { kind: "diff" } }],
    ["a priority out of range", { priority: 11 }],
    ["a label that is no text", { labels: { a: 1 } }],
  ])("with %s is refused", (_, change) => {
    expect(() => parseRunSpec({ ...least, ...change }, "spec.yaml")).toThrow(/SPEC_INVALID|the spec is not/);
  });
});

test("only endings carry an exit code, and no two share one", () => {
  const states = Object.entries(RUN_STATES) as [RunState, { final: boolean; exitCode: number | null }][];
  for (const [state, { final, exitCode }] of states) {
    expect(isFinalRun(state)).toBe(final);
    expect(exitCode === null).toBe(!final);
  }
  const codes = states.flatMap(([, { exitCode }]) => exitCode ?? []);
  expect(new Set(codes).size).toBe(codes.length);
});
