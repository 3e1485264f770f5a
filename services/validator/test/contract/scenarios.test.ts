import { describe, expect, test } from "vitest";
import { SCENARIOS, type Observed } from "../../src/contract/scenarios.ts";

const CLEAN: Observed = {
  state: "completed",
  turns: 1,
  firstAttempts: true,
  calls: 0,
  validCalls: 0,
  distinctCalls: 0,
};
const calls = (count: number, turns: number): Observed => ({
  ...CLEAN,
  turns,
  calls: count,
  validCalls: count,
  distinctCalls: count,
});

describe("the scenario", () => {
  test.each<[keyof typeof SCENARIOS, string, string, Observed]>([
    ["text", "passed", "a text", CLEAN],
    ["text", "failed", "a text at the second attempt", { ...CLEAN, firstAttempts: false }],
    ["text", "failed", "a call", calls(1, 2)],
    ["text", "failed", "a run that did not complete", { ...CLEAN, state: "escalated" }],
    ["tool_call", "passed", "a call, then a text", calls(1, 2)],
    ["tool_call", "failed", "a call whose arguments are not valid", { ...calls(1, 2), validCalls: 0 }],
    ["tool_call", "failed", "two calls", calls(2, 2)],
    ["tool_call", "failed", "no call", CLEAN],
    ["tool_call", "failed", "a follow-up that was refused", { ...calls(1, 2), state: "failed" }],
    ["parallel_calls", "passed", "two calls, then a text", calls(2, 2)],
    ["parallel_calls", "not_shown", "one call after the other", calls(1, 3)],
    ["parallel_calls", "not_shown", "no call", CLEAN],
    ["parallel_calls", "failed", "three calls", calls(3, 2)],
    ["parallel_calls", "failed", "two calls of one id", { ...calls(2, 2), distinctCalls: 1 }],
    ["parallel_calls", "failed", "two calls, one of them not valid", { ...calls(2, 2), validCalls: 1 }],
    ["parallel_calls", "failed", "two calls merged into one", { ...calls(1, 2), validCalls: 0 }],
    ["parallel_calls", "failed", "a follow-up that was refused", { ...calls(2, 2), state: "failed" }],
    ["parallel_calls", "failed", "a second attempt", { ...calls(1, 3), firstAttempts: false }],
  ])("%s is %s by %s", (scenario, verdict, _, seen) => {
    expect(SCENARIOS[scenario](seen)).toBe(verdict);
  });
});
