import { CONTRACT_SCENARIOS, meetsDemand } from "@airlock/core/run";
import { expect, test } from "vitest";

const REPORTS = [
  { passed: true, shown: true },
  { passed: false, shown: true },
  { passed: false, shown: false },
  null,
];

test("a report has to be there, and to have passed where its scenario demands that, and else not to have failed", () => {
  const met = CONTRACT_SCENARIOS.map((scenario) => [
    scenario,
    REPORTS.map((report) => meetsDemand(scenario, report)),
  ]);
  expect(met).toEqual([
    ["text", [true, false, false, false]],
    ["tool_call", [true, false, false, false]],
    ["parallel_calls", [true, false, true, false]],
  ]);
});
