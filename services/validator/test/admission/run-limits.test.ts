import { expect, test } from "vitest";
import { loadPolicy } from "@airlock/core/policy";
import { parseRunSpec } from "@airlock/core/run";
import { runLimits } from "../../src/admission/run-limits.ts";

const { limits } = parseRunSpec(
  {
    route: "r",
    model: "m",
    instructions: "",
    input: "i",
    policy: "p",
    limits: { calls: 20, mutatingCalls: 10 },
  },
  "test",
);

function bounded(perRun: string) {
  const text = `apiVersion: airlock.policy/v1\nmode: enforce\nlimits: { perRun: ${perRun} }\nrules: [{ id: r, decision: forbid, tool: read_file }]\n`;
  const policies = new Map([["p", { enforced: loadPolicy({ name: "p.yaml", text }), shadow: null }]]);
  const { turns, calls, mutatingCalls } = runLimits(policies, "p", limits);
  return { turns, calls, mutatingCalls };
}

test.each([
  ["{}", { turns: 100, calls: 20, mutatingCalls: 10 }],
  ["{ turns: 3, calls: 5, mutating: 0 }", { turns: 3, calls: 5, mutatingCalls: 0 }],
  ["{ turns: 300, calls: 500, mutating: 100 }", { turns: 100, calls: 20, mutatingCalls: 10 }],
])("of a spec's limits and a policy's %s the smaller count", (perRun, expected) => {
  expect(bounded(perRun)).toEqual(expected);
});

test("a policy that is gone leaves the spec's limits", () => {
  expect(runLimits(new Map(), "p", limits)).toEqual(limits);
});
