import { describe, expect, test } from "vitest";
import { readStream, released, summary, type ReadOptions } from "../readings.ts";
import {
  call,
  delta,
  frame,
  json,
  start,
  STARTED,
  stop,
  STOPPED,
  stopReason,
  text,
  toolUse,
} from "../../../../../scripts/conformance/anthropic/frames.ts";

const PATH = '{"path":"a"}';
const CALL = call(0, {}, "", '{"path":', '"a"}');
const OTHER = call(1, { id: "toolu_2" }, '{"path":"b"}');
const ENDED = stopReason("tool_use") + STOPPED;
const TOOL = "action_required:tool";
const SET_ASIDE = "RESPONSE_NOT_EXECUTABLE";

function read(stream: string, options: ReadOptions = {}): ReturnType<typeof readStream> {
  return readStream("anthropic", stream, options);
}

describe("what gateways do and what may run", () => {
  test.each<readonly [name: string, stream: string, calls: readonly string[]]>([
    ["a call by the book", STARTED + CALL + ENDED, [PATH]],
    ["two calls", STARTED + CALL + OTHER + ENDED, [PATH, '{"path":"b"}']],
    [
      "interleaved calls",
      STARTED +
        start(0, toolUse()) +
        start(1, toolUse({ id: "toolu_2" })) +
        json(1, '{"b":') +
        json(0, '{"a":') +
        json(1, "2}") +
        stop(1) +
        json(0, "1}") +
        stop(0) +
        ENDED,
      ['{"a":1}', '{"b":2}'],
    ],
    ["C57 the whole input at the start", STARTED + call(0, { input: { path: "a" } }) + ENDED, [PATH]],
    [
      "C57 the whole input at the start, with empty pieces",
      STARTED + call(0, { input: { path: "a" } }, "", "") + ENDED,
      [PATH],
    ],
    [
      "C57 the same input at the start and in pieces",
      STARTED + call(0, { input: { b: 1, a: [2] } }, '{"a": [2],', ' "b": 1.0}') + ENDED,
      ['{"a": [2], "b": 1.0}'],
    ],
    ["C58 no pieces at all", STARTED + call(0) + ENDED, ["{}"]],
    ["C58 an empty first piece", STARTED + call(0, {}, "", "{}") + ENDED, ["{}"]],
    ["C59 no input at the start", STARTED + call(0, { input: undefined }, PATH) + ENDED, [PATH]],
    ["C59 no input and no pieces", STARTED + call(0, { input: undefined }) + ENDED, [""]],
    ["C59 null at the start", STARTED + call(0, { input: null }, PATH) + ENDED, [PATH]],
    ["C60 no message_stop", STARTED + CALL + stopReason("tool_use"), [PATH]],
    [
      "C60 only pings after the stop reason",
      `${STARTED}${CALL}${stopReason("tool_use")}${frame("ping")}: ping\n\n`,
      [PATH],
    ],
    [
      "C62 the stop reason before the block's end",
      STARTED + start(0, toolUse()) + json(0, PATH) + stopReason("tool_use") + stop(0) + STOPPED,
      [PATH],
    ],
    ["C62 an end of a block that was never opened", STARTED + stop(7) + CALL + ENDED, [PATH]],
    [
      "C63 indices with gaps",
      STARTED + call(1, {}, PATH) + call(5, { id: "toolu_2" }, "{}") + ENDED,
      [PATH, "{}"],
    ],
    [
      "C65 several message_delta",
      STARTED + CALL + stopReason(null) + stopReason("tool_use") + stopReason(null) + ENDED,
      [PATH],
    ],
    ["C70 no event lines", (STARTED + CALL + ENDED).replaceAll(/^event: .*\n/gm, ""), [PATH]],
    [
      "C36 [DONE] before the marker",
      `${STARTED}${CALL}${stopReason("tool_use")}data: [DONE]\n\n${STOPPED}`,
      [PATH],
    ],
    ["C53 unknown events", STARTED + frame("new") + CALL + frame("x", { index: 0 }) + ENDED, [PATH]],
    [
      "an unknown kind of delta",
      STARTED +
        start(0, toolUse()) +
        delta(0, { type: "hint_delta", hint: 1 }) +
        json(0, PATH) +
        stop(0) +
        ENDED,
      [PATH],
    ],
    ["message_start twice", STARTED + STARTED + CALL + ENDED, [PATH]],
    ["no message_start", CALL + ENDED, [PATH]],
    [
      "a server tool that still runs, beside a call",
      STARTED + start(1, { type: "server_tool_use", id: "s", name: "f", input: {} }) + stop(1) + CALL + ENDED,
      [PATH],
    ],
  ])("accepts %s", (...[_name, stream, calls]) => {
    const reading = read(stream);
    expect(reading.errorClass).toBe(null);
    expect(released(reading)).toEqual(calls.map((content) => ["read_file", content]));
  });

  test.each<readonly [name: string, stream: string, errorClass: string, items: readonly string[]]>([
    [
      "C57 another input at the start than in pieces",
      STARTED + call(0, { input: { path: "b" } }, PATH) + ENDED,
      "ARGUMENTS_MISMATCH",
      ["ARGUMENTS_MISMATCH"],
    ],
    [
      "C57 an input at the start and a piece that continues it",
      STARTED + call(0, { input: { path: "a" } }, '{"x"') + ENDED,
      "ARGUMENTS_MISMATCH",
      ["ARGUMENTS_MISMATCH"],
    ],
    [
      "C60 no message_stop and a block left open",
      STARTED + start(0, toolUse()) + json(0, PATH) + stopReason("tool_use"),
      "CALLS_ABSENT",
      ["ITEM_INCOMPLETE"],
    ],
    [
      "C61 no end of the block, no stop reason, no marker",
      STARTED + start(0, toolUse()) + json(0, PATH),
      "STREAM_TRUNCATED",
      ["ITEM_INCOMPLETE"],
    ],
    ["C61 the marker alone", STARTED + CALL + STOPPED, "STREAM_TRUNCATED", [SET_ASIDE]],
    [
      "C62 a call that is never stopped",
      STARTED + start(0, toolUse()) + json(0, PATH) + ENDED,
      "CALLS_ABSENT",
      ["ITEM_INCOMPLETE"],
    ],
    [
      "C62 thinking that is never stopped",
      STARTED + start(0, { type: "thinking", thinking: "" }) + OTHER + ENDED,
      "ITEM_INCOMPLETE",
      ["ITEM_INCOMPLETE", SET_ASIDE],
    ],
    [
      "C62 an end of a block that is opened later",
      STARTED + stop(0) + CALL + ENDED,
      "EVENT_ORDER",
      [SET_ASIDE],
    ],
    [
      "C65 two different stop reasons",
      STARTED + CALL + stopReason("end_turn") + ENDED,
      "SIGNAL_CONFLICT",
      [SET_ASIDE],
    ],
    [
      "C68 a stop reason that nobody knows",
      STARTED + CALL + stopReason("terminated") + STOPPED,
      "SIGNAL_UNKNOWN",
      [SET_ASIDE],
    ],
    [
      "C69 arguments cut at a premature end",
      STARTED + call(0, {}, '{"path":"a') + ENDED,
      "JSON_TRUNCATED",
      [SET_ASIDE],
    ],
    [
      "an error before the end",
      STARTED + CALL + frame("error", { error: { type: "api_error" } }) + ENDED,
      "PROVIDER_ERROR",
      [SET_ASIDE],
    ],
    [
      "an error after the stop reason",
      STARTED +
        CALL +
        stopReason("tool_use") +
        frame("error", { error: { type: "overloaded_error" } }) +
        STOPPED,
      "PROVIDER_ERROR",
      [SET_ASIDE],
    ],
    [
      "another block after the stop reason",
      STARTED + CALL + stopReason("tool_use") + OTHER + STOPPED,
      "EVENT_AFTER_FINISH",
      [SET_ASIDE, SET_ASIDE],
    ],
    [
      "a piece after the stop reason",
      STARTED +
        start(0, toolUse()) +
        json(0, PATH) +
        stopReason("tool_use") +
        json(0, " ") +
        stop(0) +
        STOPPED,
      "EVENT_AFTER_FINISH",
      [SET_ASIDE],
    ],
    ["a piece after the block's end", STARTED + CALL + json(0, "{}") + ENDED, "EVENT_ORDER", [SET_ASIDE]],
    ["a piece without a block", STARTED + CALL + json(3, "{}") + ENDED, "EVENT_ORDER", [SET_ASIDE]],
    ["a block that is closed twice", STARTED + CALL + stop(0) + ENDED, "EVENT_ORDER", [SET_ASIDE]],
    [
      "two blocks of one index",
      STARTED + CALL + call(0, { id: "toolu_2" }, "{}") + ENDED,
      "EVENT_ORDER",
      ["EVENT_ORDER"],
    ],
    [
      "two calls of one id",
      STARTED + CALL + call(1, {}, "{}") + ENDED,
      "IDENTITY_CONFLICT",
      ["IDENTITY_CONFLICT", "IDENTITY_CONFLICT"],
    ],
    ["a call without an id", STARTED + call(0, { id: "" }, "{}") + ENDED, "IDENTITY_CONFLICT", [SET_ASIDE]],
    [
      "text in a call",
      STARTED + start(0, toolUse()) + delta(0, { type: "text_delta", text: "x" }) + stop(0) + ENDED,
      "STREAM_MALFORMED",
      [SET_ASIDE],
    ],
    [
      "a piece that is no text",
      STARTED +
        start(0, toolUse()) +
        delta(0, { type: "input_json_delta", partial_json: { a: 1 } }) +
        stop(0) +
        ENDED,
      "STREAM_MALFORMED",
      [SET_ASIDE],
    ],
    [
      "a second message",
      STARTED + CALL + frame("message_start", { message: { id: "msg_2" } }) + ENDED,
      "IDENTITY_CONFLICT",
      [SET_ASIDE],
    ],
    [
      "a call in message_start",
      frame("message_start", { message: { id: "m", content: [toolUse()] } }) + ENDED,
      "EVENT_ORDER",
      [],
    ],
    ["calls announced and absent", STARTED + text(0, "hi") + ENDED, "CALLS_ABSENT", [SET_ASIDE]],
    [
      "only the provider's tool, whose result is there",
      STARTED +
        start(0, { type: "server_tool_use", id: "s", name: "f", input: {} }) +
        stop(0) +
        start(1, { type: "web_search_tool_result", tool_use_id: "s", content: [] }) +
        stop(1) +
        ENDED,
      "CALLS_ABSENT",
      [SET_ASIDE, SET_ASIDE],
    ],
    [
      "a call beside end_turn",
      STARTED + CALL + stopReason("end_turn") + STOPPED,
      "SIGNAL_CONFLICT",
      [SET_ASIDE],
    ],
    ["a bare line of JSON", `${STARTED}${CALL}{"x":1}\n\n${ENDED}`, "STREAM_MALFORMED", [SET_ASIDE]],
    [
      "two types of one frame",
      `${STARTED}${CALL}event: ping\ndata: {"type":"message_delta"}\n\n${ENDED}`,
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
    ["no object", '["a"]'],
  ])("gives on the text of an input with %s as it was sent", (_name, input) => {
    const opening = start(0, toolUse({ input: "INPUT" })).replace('"INPUT"', input);
    const reading = read(STARTED + opening + stop(0) + ENDED);
    expect(released(reading)).toEqual([["read_file", input]]);
    expect(reading.outputItems).toEqual([toolUse()]);
  });

  test("repeats a call whose arguments are refused with an empty input", () => {
    expect(read(STARTED + call(0, {}, '{"path":"a",}') + OTHER + ENDED).outputItems).toEqual([
      toolUse(),
      toolUse({ id: "toolu_2", input: { path: "b" } }),
    ]);
  });

  test("continues where only the provider's tool is still running", () => {
    const pending = start(0, { type: "server_tool_use", id: "s", name: "f", input: {} }) + stop(0);
    expect(summary(read(STARTED + pending + ENDED))).toEqual(["action_required:continue", null, [null]]);
  });

  test("needs the marker where the route requires it", () => {
    const unmarked = STARTED + CALL + stopReason("tool_use");
    expect(summary(read(unmarked, { closingMarker: "required" }))).toEqual([
      "indeterminate",
      "STREAM_TRUNCATED",
      [SET_ASIDE],
    ]);
    expect(summary(read(unmarked + STOPPED, { closingMarker: "required" }))).toEqual([TOOL, null, [null]]);
  });

  test.each([
    [
      "before the marker",
      STARTED + CALL + stopReason("tool_use"),
      ["indeterminate", "STREAM_RESET", [SET_ASIDE]],
    ],
    ["after the marker", STARTED + CALL + ENDED, [TOOL, null, [null]]],
  ])("C90 a reset %s", (_name, stream, expected) => {
    expect(summary(read(stream, { end: "reset" }))).toEqual(expected);
  });

  test.each([
    ["max_tokens", "truncated", null],
    ["model_context_window_exceeded", "truncated", "CONTEXT_FULL"],
    ["refusal", "policy_stop", null],
  ])("%s is its own end, with a block left open", (reason, outcome, errorClass) => {
    const open = start(0, toolUse()) + json(0, '{"path":');
    expect(summary(read(STARTED + open + stopReason(reason) + STOPPED))).toEqual([
      outcome,
      errorClass,
      ["ITEM_INCOMPLETE"],
    ]);
  });

  test("takes the last report of each count, and compares it with the budget", () => {
    const usage = { usage: { output_tokens: 20 } };
    const stream = STARTED + text(0, "hi") + stopReason("end_turn") + stopReason(null, usage) + STOPPED;
    expect(read(stream).usage).toEqual({ inputTokens: 5, outputTokens: 20 });
    expect(summary(read(stream, { requestedMaxOutputTokens: 20 }))).toEqual([
      "truncated",
      "USAGE_AT_CAP",
      [SET_ASIDE],
    ]);
  });
});
