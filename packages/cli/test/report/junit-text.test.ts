import fc from "fast-check";
import { expect, test } from "vitest";
import { junitText } from "../../src/report/index.ts";
import { elementsOf } from "./elements.ts";
import { callOf, reportOf, runOf } from "./report-case.ts";

const shortly = (text: string) =>
  elementsOf(text).map(({ name, attributes }) =>
    [name, attributes["name"] ?? attributes["type"] ?? attributes["message"]].join(" "),
  );

test("a run, each turn and each call are a test case, and what failed says its class", () => {
  const calls = [
    callOf(0),
    callOf(1, { state: "DENIED", decision: "forbid", rules: ["r1"], errorClass: "POLICY_FORBIDDEN" }),
    callOf(2, { state: "NEEDS_HUMAN", errorClass: null }),
    callOf(3, { state: "AWAITING_APPROVAL", decision: "approve" }),
  ];
  const text = junitText(reportOf(runOf(calls, { state: "denied", reason: "APPROVAL_DENIED" })));
  expect(shortly(text)).toEqual([
    "testsuites airlock r00000000000000000000",
    "testsuite airlock r00000000000000000000",
    "testcase run",
    "failure denied",
    "testcase turn 1",
    "testcase 1.1.0 run_command",
    "testcase 1.1.1 run_command",
    "failure POLICY_FORBIDDEN",
    "testcase 1.1.2 run_command",
    "error NEEDS_HUMAN",
    "testcase 1.1.3 run_command",
    "skipped AWAITING_APPROVAL; decision approve; rules reads",
  ]);
  const [suites] = elementsOf(text);
  expect(suites?.attributes).toMatchObject({ tests: "6", failures: "2", errors: "1", skipped: "1" });
});

test("times come from the events", () => {
  const { itemKey } = callOf(0);
  const at = (ms: number) => new Date(1_000_000 + ms).toISOString();
  const item = {
    type: "item_state",
    itemKey,
    tool: null,
    rule: null,
    errorClass: null,
    bytes: null,
  } as const;
  const events = [
    { at: at(0), event: { type: "run_admitted", route: "r", model: "m" } as const },
    { at: at(100), event: { ...item, state: "ITEM_TERMINAL" } as const },
    { at: at(1_350), event: { ...item, state: "EXECUTED" } as const },
    { at: at(2_000), event: { type: "run_ended", state: "completed", errorClass: null } as const },
  ];
  const cases = elementsOf(junitText(reportOf(runOf([callOf(0)]), { events })));
  expect(cases.map(({ attributes }) => attributes["time"])).toEqual([
    "2.000",
    "2.000",
    "2.000",
    undefined,
    "1.250",
  ]);
});

const XML_HAS = /[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

test("any tool name and any reason give XML that says exactly them, but for what XML has no form for", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      '"/><x a="',
      "]]>",
      "<!--",
      "&#0;",
      "&lt;",
      "\u0000\u001b[2J",
      "a\tb\nc\rd",
      "\ud800",
      "\uffff",
    ),
  );
  fc.assert(
    fc.property(hostile, hostile, (tool, reason) => {
      const run = runOf([callOf(0, { tool, callId: tool })], { state: "failed", reason });
      const elements = elementsOf(junitText(reportOf(run)));
      expect(elements.map(({ name }) => name)).toEqual([
        "testsuites",
        "testsuite",
        "testcase",
        "failure",
        "testcase",
        "testcase",
      ]);
      const seen = Array.from(tool, (character) => (XML_HAS.test(character) ? character : "\ufffd")).join("");
      expect(elements.at(-1)?.attributes["name"]).toBe(`1.1.0 ${seen}`);
    }),
  );
});
