import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  approvalFindings,
  callCounts,
  contractFindings,
  cutWriteFindings,
  fixedPrice,
  fixTestFindings,
  forbiddenFindings,
  type Seen,
} from "../../src/demo/index.ts";
import type { CallDocument, RunDocument } from "@airlock/operator/document";

const ORIGINAL = readFileSync(
  new URL("../../../../fixtures/demo/repository/src/price.js", import.meta.url),
  "utf8",
);

function call(place: string, tool: string, state: string): CallDocument {
  const rest = {
    callId: "c",
    decision: null,
    rules: [],
    errorClass: null,
    resultBytes: null,
    flags: [],
    found: null,
  };
  return { itemKey: `rx.${place}`, tool, state, ...rest };
}

function run(calls: readonly CallDocument[], state = "completed"): RunDocument {
  const turns = [{ number: 1, attempts: [], calls }];
  const used = { turns: 1, calls: 0, mutatingCalls: 0, outputTokens: 0, unreportedAttempts: 0 };
  return {
    id: "rx",
    state,
    outcome: null,
    reason: null,
    pool: null,
    turns,
    used,
    artifact: null,
    partial: null,
  };
}

function seen(document: RunDocument, change: Partial<Seen> = {}): Seen {
  const untouched = { workflowExists: false, testsChanged: false };
  return {
    document,
    original: ORIGINAL,
    price: fixedPrice(ORIGINAL),
    priceAtRetry: null,
    answers: { patch: null, late: null },
    ...untouched,
    ...change,
  };
}

const missed = (findings: readonly { readonly claim: string; readonly held: boolean }[]) =>
  findings.flatMap(({ claim, held }) => (held ? [] : [claim]));

test("the fix is one change of the demo's repository", () => {
  expect(fixedPrice(ORIGINAL)).not.toBe(ORIGINAL);
  expect(
    fixedPrice(ORIGINAL)
      .split("\n")
      .filter((line) => !ORIGINAL.includes(line)),
  ).toHaveLength(1);
});

describe("the story of the failing test", () => {
  const good = run([call("1.1.0", "apply_patch", "EXECUTED")]);
  test.each<[string, Seen, readonly string[]]>([
    ["as it should go", seen(good), []],
    ["not completed", seen(run([], "escalated")), ["the run completed"]],
    ["with a refused call", seen(run([call("1.1.0", "x", "DENIED")])), ["every call was executed"]],
    ["without the fix", seen(good, { price: ORIGINAL }), ["src/price.js holds exactly the fix"]],
    ["without a workspace", seen(good, { price: null }), ["src/price.js holds exactly the fix"]],
    ["with bent tests", seen(good, { testsChanged: true }), ["the tests are as they were"]],
  ])("%s", (_, story, expected) => {
    expect(missed(fixTestFindings(story))).toEqual(expected);
  });
});

describe("the story of the cut write", () => {
  const cut = call("1.1.1", "write_file", "QUARANTINED");
  const written = call("1.2.1", "write_file", "EXECUTED");
  const good = run([cut, written]);
  const untouched = "after the cut, src/price.js was untouched";
  test.each<[string, Seen, readonly string[]]>([
    ["as it should go", seen(good), []],
    ["with a workspace before the retry", seen(good, { priceAtRetry: ORIGINAL }), []],
    ["with the cut text written", seen(good, { priceAtRetry: "Math.flo" }), [untouched]],
    ["without a retry", seen(good, { priceAtRetry: undefined }), [untouched]],
    [
      "with the cut call executed",
      seen(run([call("1.1.1", "write_file", "EXECUTED"), written])),
      ["the cut call ended QUARANTINED"],
    ],
    [
      "written twice",
      seen(run([cut, written, call("1.2.2", "write_file", "EXECUTED")])),
      ["the fresh attempt wrote once"],
    ],
    ["never written", seen(run([cut])), ["the fresh attempt wrote once"]],
  ])("%s", (_, story, expected) => {
    expect(missed(cutWriteFindings(story))).toEqual(expected);
  });
});

describe("the story of the forbidden write", () => {
  const good = run([call("1.1.1", "read_file", "EXECUTED"), call("1.1.2", "write_file", "DENIED")]);
  test.each<[string, Seen, readonly string[]]>([
    ["as it should go", seen(good, { price: ORIGINAL }), []],
    [
      "with the workflow written",
      seen(good, { price: ORIGINAL, workflowExists: true }),
      ["there is no .github/workflows/ci.yml"],
    ],
    ["with another file written", seen(good, { price: "x" }), ["src/price.js is untouched"]],
    [
      "with the write executed",
      seen(run([call("1.1.2", "write_file", "EXECUTED")]), { price: ORIGINAL }),
      ["the allowed read was executed", "the forbidden write ended DENIED"],
    ],
  ])("%s", (_, story, expected) => {
    expect(missed(forbiddenFindings(story))).toEqual(expected);
  });
});

test("a contract scenario needs its report, and no tool", () => {
  const ran = run([call("1.1.0", "read_file", "EXECUTED")]);
  expect(missed(contractFindings(run([]), { passed: true, shown: true }))).toEqual([]);
  expect(missed(contractFindings(run([]), { passed: false, shown: false }))).toEqual([]);
  expect(missed(contractFindings(run([]), null))).toEqual(["the scenario's report is stored, and passed"]);
  expect(missed(contractFindings(ran, { passed: false, shown: true }))).toEqual([
    "the scenario's report is stored, and passed",
    "no tool ran",
  ]);
});

test("calls are counted by their final state", () => {
  const calls = [
    call("1.1.0", "a", "EXECUTED"),
    call("1.1.1", "b", "DENIED"),
    call("1.1.2", "c", "EXECUTED"),
  ];
  expect(callCounts(run(calls))).toBe("2 EXECUTED, 1 DENIED");
  expect(callCounts(run([]))).toBe("-");
});

test.each([
  ["approve", "EXECUTED", fixedPrice(ORIGINAL)],
  ["deny", "DENIED", ORIGINAL],
] as const)(
  "a person who says %s has their way, and a late approval changes nothing",
  (patch, state, price) => {
    const document = run([call("1.1.0", "apply_patch", state), call("1.1.1", "delete_file", "EXPIRED")]);
    const held = (late: "expired" | "stored") =>
      approvalFindings(seen(document, { price, answers: { patch, late } })).every((finding) => finding.held);
    expect([held("expired"), held("stored")]).toEqual([true, false]);
  },
);
