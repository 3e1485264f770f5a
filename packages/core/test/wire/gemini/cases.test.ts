import { describe, expect, test } from "vitest";
import { readStream, released, summary, type ReadOptions } from "../readings.ts";
import {
  call,
  chunk,
  CLOSER,
  finish,
  fragment,
  OPENER,
  parts,
  piece,
  READ_A,
  READ_B,
  STOP,
  text,
} from "../../../../../scripts/conformance/gemini/frames.ts";

const A = '{"path":"a"}';
const B = '{"path":"b"}';
const TOOL = "action_required:tool";
const SET_ASIDE = "RESPONSE_NOT_EXECUTABLE";

function read(stream: string, options: ReadOptions = {}): ReturnType<typeof readStream> {
  return readStream("gemini", stream, options);
}

function withId(part: object, id: string): object {
  return { functionCall: { ...("functionCall" in part ? (part.functionCall as object) : {}), id } };
}

describe("what gateways do and what may run", () => {
  test.each<readonly [name: string, stream: string, calls: readonly string[]]>([
    ["a call by the book", parts(READ_A) + STOP, [A]],
    ["a call in the chunk that finishes", finish("STOP", READ_A), [A]],
    ["a call without arguments", parts(call({ name: "read_file" })) + STOP, [""]],
    ["two calls in one chunk", parts(READ_A, READ_B) + STOP, [A, B]],
    ["the same call twice in one chunk", parts(READ_A, READ_A) + STOP, [A, A]],
    ["text between calls", parts(text("x"), READ_A, text("y"), READ_B) + STOP, [A, B]],
    ["C71 parallel calls, each the first part of its chunk", parts(READ_A) + parts(READ_B) + STOP, [A, B]],
    [
      "C71 the same call sent again under its id",
      parts(withId(READ_A, "1")) + parts(withId(READ_A, "1")) + STOP,
      [A],
    ],
    [
      "C71 the same arguments under two ids",
      parts(withId(READ_A, "1")) + parts(withId(READ_A, "2")) + STOP,
      [A, A],
    ],
    [
      "C72 text and usage after the finish reason",
      parts(READ_A) + STOP + parts(text("late")) + chunk({ usageMetadata: {} }),
      [A],
    ],
    ["C73 a finish without content", parts(READ_A) + chunk({ candidates: [{ finishReason: "STOP" }] }), [A]],
    ["the same finish reason twice", parts(READ_A) + STOP + STOP, [A]],
    [
      "an unspecified reason before the real one",
      parts(READ_A) + finish("FINISH_REASON_UNSPECIFIED") + STOP,
      [A],
    ],
    [
      "C76 partial arguments",
      parts(OPENER) + parts(fragment(piece("$.path", "a"))) + parts(CLOSER) + STOP,
      [A],
    ],
    ["C76 an opener that is closed at once", parts(OPENER) + parts(CLOSER) + STOP, ["{}"]],
    [
      "C76 an opener with arguments, closed by a last fragment",
      parts(call({ name: "read_file", partialArgs: [piece("$.path", "x", true)], willContinue: true })) +
        parts(call({ partialArgs: [piece("$.path", "y")] })) +
        STOP,
      ['{"path":"xy"}'],
    ],
    [
      "C76 a call in one part",
      parts(call({ name: "read_file", partialArgs: [piece("$.path", "a")] })) + STOP,
      [A],
    ],
    [
      "C76 fragments that repeat id and name",
      parts(call({ id: "1", name: "read_file", willContinue: true })) +
        parts(call({ id: "1", name: "read_file", partialArgs: [piece("$.path", "a")] })) +
        STOP,
      [A],
    ],
    [
      "C76 two calls, one after the other",
      parts(OPENER) +
        parts(fragment(piece("$.path", "a"))) +
        parts(CLOSER) +
        parts(OPENER) +
        parts(fragment(piece("$.path", "b"))) +
        finish("STOP", CLOSER),
      [A, B],
    ],
    ["C78 comments", `: ping\n\n${parts(READ_A)}:\n\n${STOP}`, [A]],
    ["C36 [DONE] at the end", `${parts(READ_A)}${STOP}data: [DONE]\n\n`, [A]],
    ["C83 no blank line at the end", (parts(READ_A) + STOP).slice(0, -4), [A]],
    [
      "unknown chunks and events",
      `${parts(READ_A)}data: {"new":1}\n\nevent: new\ndata: {"a":1}\n\n${STOP}`,
      [A],
    ],
    ["error: null", parts(READ_A) + chunk({ error: null }) + STOP, [A]],
  ])("accepts %s", (...[_name, stream, calls]) => {
    const reading = read(stream);
    expect(reading.errorClass).toBe(null);
    expect(released(reading)).toEqual(calls.map((content) => ["read_file", content]));
  });

  test.each<readonly [name: string, stream: string, errorClass: string, items: readonly string[]]>([
    [
      "C71 other arguments under the same id",
      parts(withId(READ_A, "1")) + parts(withId(READ_B, "1")) + STOP,
      "IDENTITY_CONFLICT",
      [SET_ASIDE],
    ],
    [
      "C71 the same call in two chunks, without an id",
      parts(READ_A) + parts(READ_A) + STOP,
      "IDENTITY_CONFLICT",
      [SET_ASIDE, SET_ASIDE],
    ],
    [
      "C71 the same call in two chunks, one without its id",
      parts(withId(READ_A, "1")) + parts(READ_A) + STOP,
      "IDENTITY_CONFLICT",
      [SET_ASIDE, SET_ASIDE],
    ],
    [
      "C71 the same call in other words",
      parts(call({ name: "f", args: { a: 1, b: 2 } })) +
        parts(call({ name: "f", args: { b: 2, a: 1 } })) +
        STOP,
      "IDENTITY_CONFLICT",
      [SET_ASIDE, SET_ASIDE],
    ],
    [
      "C72 a call after the finish reason",
      parts(READ_A) + STOP + parts(READ_B),
      "EVENT_AFTER_FINISH",
      [SET_ASIDE, SET_ASIDE],
    ],
    [
      "C74 a malformed call",
      parts(READ_A) + finish("MALFORMED_FUNCTION_CALL"),
      "CALL_MALFORMED",
      [SET_ASIDE],
    ],
    [
      "C76 an orphan fragment",
      parts(fragment(piece("$.path", "a"))) + parts(READ_A) + STOP,
      "EVENT_ORDER",
      [SET_ASIDE],
    ],
    ["C76 an orphan end", parts(READ_A) + parts(CLOSER) + STOP, "EVENT_ORDER", [SET_ASIDE]],
    [
      "C76 a call that is never closed",
      parts(OPENER) + parts(fragment(piece("$.path", "a"))) + STOP,
      "ITEM_INCOMPLETE",
      ["ITEM_INCOMPLETE"],
    ],
    [
      "C76 a call that another one interrupts",
      parts(OPENER) + parts(OPENER) + parts(fragment(piece("$.path", "a"))) + parts(CLOSER) + STOP,
      "ITEM_INCOMPLETE",
      ["ITEM_INCOMPLETE", SET_ASIDE],
    ],
    [
      "C76 a text that is to be continued at the end of its call",
      parts(OPENER) + parts(fragment(piece("$.path", "a", true))) + parts(CLOSER) + STOP,
      "ITEM_INCOMPLETE",
      ["ITEM_INCOMPLETE"],
    ],
    [
      "C76 a fragment under another id",
      parts(call({ id: "1", name: "f", willContinue: true })) +
        parts(call({ id: "2", partialArgs: [piece("$.path", "a")] })) +
        STOP,
      "IDENTITY_CONFLICT",
      [SET_ASIDE],
    ],
    [
      "C77 arguments in pieces without the protocol",
      parts(READ_A) + parts(call({ args: { line: 1 } })) + STOP,
      "EVENT_ORDER",
      [SET_ASIDE],
    ],
    [
      "C77 whole arguments in a fragment",
      parts(OPENER) + parts(call({ args: { path: "a" } })) + STOP,
      "ARGUMENTS_MISMATCH",
      [SET_ASIDE],
    ],
    ["C77 arguments as a text", parts(call({ name: "f", args: '{"path":' })) + STOP, "STREAM_MALFORMED", []],
    [
      "an error in a data frame",
      parts(READ_A) + chunk({ error: { code: 503, message: "over" } }) + STOP,
      "PROVIDER_ERROR",
      [SET_ASIDE],
    ],
    [
      "an error after the finish reason",
      `${parts(READ_A)}${STOP}data: {"error":{"code":500}}\n\n`,
      "PROVIDER_ERROR",
      [SET_ASIDE],
    ],
    [
      "an error outside any field",
      `${parts(READ_A)}{"error":{"code":500}}\n\n${STOP}`,
      "PROVIDER_ERROR",
      [SET_ASIDE],
    ],
    [
      "an error in several lines outside any field",
      `${parts(READ_A)}{\n  "error": {\n    "code": 503,\n    "message": "over"\n  }\n}\n\n${STOP}`,
      "PROVIDER_ERROR",
      [SET_ASIDE],
    ],
    [
      "a line outside any field that is no JSON, at the end",
      `${parts(READ_A)}${STOP}{oops\n\n`,
      "STREAM_MALFORMED",
      [SET_ASIDE],
    ],
    [
      "an array of errors",
      `${parts(READ_A)}data: [{"error":{"code":500}}]\n\n${STOP}`,
      "PROVIDER_ERROR",
      [SET_ASIDE],
    ],
    ["two finish reasons", parts(READ_A) + finish("OTHER") + STOP, "SIGNAL_CONFLICT", [SET_ASIDE]],
    [
      "two finish reasons, the other way round",
      parts(READ_A) + STOP + finish("OTHER"),
      "SIGNAL_CONFLICT",
      [SET_ASIDE],
    ],
    [
      "a blocked prompt beside a call",
      parts(READ_A) + STOP + chunk({ promptFeedback: { blockReason: "SAFETY" } }),
      "SIGNAL_CONFLICT",
      [SET_ASIDE],
    ],
    ["no finish reason", parts(READ_A), "STREAM_TRUNCATED", [SET_ASIDE]],
    [
      "only an unspecified one",
      finish("FINISH_REASON_UNSPECIFIED", READ_A),
      "SIGNAL_UNSPECIFIED",
      [SET_ASIDE],
    ],
    ["a reason that nobody knows", finish("SOMETHING_NEW", READ_A), "SIGNAL_UNKNOWN", [SET_ASIDE]],
    [
      "two candidates",
      chunk({ candidates: [{ content: { parts: [READ_A] } }, { content: { parts: [READ_B] } }] }) + STOP,
      "IDENTITY_CONFLICT",
      [],
    ],
    [
      "the second of several candidates",
      parts(READ_A) + chunk({ candidates: [{ index: 1, finishReason: "STOP" }] }) + STOP,
      "IDENTITY_CONFLICT",
      [SET_ASIDE],
    ],
    [
      "a part that is two things",
      parts({ ...READ_A, toolCall: { toolType: "x" } }) + STOP,
      "IDENTITY_CONFLICT",
      [],
    ],
    [
      "parts that are no list",
      chunk({ candidates: [{ content: { parts: READ_A } }] }) + STOP,
      "STREAM_MALFORMED",
      [],
    ],
    ["a call that is no object", parts(call({}), { functionCall: "f" }) + STOP, "EVENT_ORDER", []],
    [
      "cut JSON in a frame",
      `${parts(READ_A)}data: {"candidates":\n\n${STOP}`,
      "STREAM_MALFORMED",
      [SET_ASIDE],
    ],
  ])("refuses %s", (...[_name, stream, errorClass, items]) => {
    expect(summary(read(stream))).toEqual(["indeterminate", errorClass, items]);
  });

  test.each([
    ["a key twice", '{"path":"a","path":"b"}'],
    ["a number that parsers round differently", '{"path":12345678901234567890}'],
    ["a key that reaches the prototype", '{"__proto__":{"path":"a"}}'],
    ["half a surrogate pair", '{"path":"\\ud800"}'],
  ])("gives on arguments with %s as they were sent, and repeats none", (_name, args) => {
    const stream = parts({ functionCall: { name: "f", args: "ARGS" }, thoughtSignature: "s" }) + STOP;
    const reading = read(stream.replace('"ARGS"', args));
    expect(released(reading)).toEqual([["f", args]]);
    expect(reading.outputItems).toEqual([{ functionCall: { name: "f", args: {} }, thoughtSignature: "s" }]);
  });

  test("C71 repeats the parts of parallel calls with the one signature that they have", () => {
    const signed = { ...READ_A, thoughtSignature: "s" };
    expect(read(parts(signed) + parts(READ_B) + STOP).outputItems).toEqual([signed, READ_B]);
  });

  test.each([
    ["reset", "STREAM_RESET"],
    ["idle_timeout", "IDLE_TIMEOUT"],
  ] as const)("C90 a %s after the finish reason is no clean end", (end, errorClass) => {
    expect(summary(read(parts(READ_A) + STOP, { end }))).toEqual(["indeterminate", errorClass, [SET_ASIDE]]);
  });

  test.each([
    ["MAX_TOKENS", "truncated"],
    ["CONTINUATION", "truncated"],
    ["SAFETY", "policy_stop"],
  ])("%s is its own end, with a call left open", (reason, outcome) => {
    const open = parts(OPENER) + parts(fragment(piece("$.path", "a", true)));
    expect(summary(read(open + finish(reason)))).toEqual([outcome, null, ["ITEM_INCOMPLETE"]]);
  });

  test("a rejected prompt is the provider's policy", () => {
    const reading = read(chunk({ promptFeedback: { blockReason: "SAFETY" }, usageMetadata: {} }));
    expect(summary(reading)).toEqual(["policy_stop", null, []]);
    expect(reading.raw).toEqual({ status: "blockReason", reason: "SAFETY" });
  });

  test("STOP without anything is complete, and flagged as empty", () => {
    const reading = read(STOP);
    expect([...summary(reading), reading.flags]).toEqual(["candidate_complete", null, [], ["empty"]]);
  });

  test("counts thoughts against the budget, in the last report", () => {
    const usage = { promptTokenCount: 3, candidatesTokenCount: 4, thoughtsTokenCount: 16 };
    const stream =
      parts(text("x")) +
      chunk({ usageMetadata: { candidatesTokenCount: 1 } }) +
      STOP +
      chunk({ usageMetadata: usage });
    expect(read(stream).usage).toEqual({ inputTokens: 3, outputTokens: 20 });
    expect(summary(read(stream, { requestedMaxOutputTokens: 20 }))).toEqual([
      "truncated",
      "USAGE_AT_CAP",
      [SET_ASIDE],
    ]);
  });

  test("runs only what the client is asked to", () => {
    const provider = [
      { executableCode: { code: "x" } },
      { codeExecutionResult: {} },
      { toolCall: {} },
      { toolResponse: {} },
    ];
    const reading = read(parts(...provider, READ_A) + STOP);
    expect(released(reading)).toEqual([["read_file", A]]);
    expect(reading.items.map(({ kind }) => kind)).toEqual([
      "provider_executed",
      "other",
      "provider_executed",
      "other",
      "tool_call",
    ]);
    expect(summary(reading)[0]).toBe(TOOL);
  });
});
