import { describe, expect, test } from "vitest";
import { readBody, readStream, released, summary, told } from "../readings.ts";
import {
  call,
  delta,
  start,
  STARTED,
  stop,
  STOPPED,
  stopReason,
  text,
  toolUse,
} from "../../../../../scripts/conformance/anthropic/frames.ts";

const THINKING = { type: "thinking", thinking: "So.", signature: "sealed" };
const SEARCH = { type: "server_tool_use", id: "s", name: "web_search", input: { query: "q" } };
const USAGE = { input_tokens: 5, output_tokens: 7 };

function body(fields: object): object {
  return { type: "message", id: "msg_1", role: "assistant", model: "m", usage: USAGE, ...fields };
}

const THOUGHT =
  start(0, { type: "thinking", thinking: "", signature: "" }) +
  delta(0, { type: "thinking_delta", thinking: "So." }) +
  delta(0, { type: "signature_delta", signature: "sealed" }) +
  stop(0);

describe("a message that did not come as a stream", () => {
  test.each([
    [
      "text",
      STARTED + text(0, "hel", "lo") + stopReason("end_turn") + STOPPED,
      body({ content: [{ type: "text", text: "hello" }], stop_reason: "end_turn" }),
    ],
    [
      "thinking and two calls",
      STARTED +
        THOUGHT +
        call(1, {}, '{"path":', '"a"}') +
        call(2, { id: "toolu_2" }, "{}") +
        stopReason("tool_use") +
        STOPPED,
      body({
        content: [THINKING, toolUse({ input: { path: "a" } }), { ...toolUse(), id: "toolu_2" }],
        stop_reason: "tool_use",
      }),
    ],
    [
      "a tool that the provider runs",
      STARTED + start(0, SEARCH) + stop(0) + stopReason("pause_turn") + STOPPED,
      body({ content: [SEARCH], stop_reason: "pause_turn" }),
    ],
    [
      "a cut call",
      STARTED + call(0, {}, "{}") + stopReason("max_tokens") + STOPPED,
      body({ content: [toolUse()], stop_reason: "max_tokens" }),
    ],
    ["a refusal", STARTED + stopReason("refusal") + STOPPED, body({ content: [], stop_reason: "refusal" })],
    [
      "a contradiction",
      STARTED + call(0, {}, "{}") + stopReason("end_turn") + STOPPED,
      body({ content: [toolUse()], stop_reason: "end_turn" }),
    ],
  ])("reads like its stream: %s", (_name, stream, whole) => {
    expect(told(readBody("anthropic", whole))).toEqual(told(readStream("anthropic", stream)));
  });

  test("gives on the text of each input as it was sent", () => {
    const source = JSON.stringify(body({ content: [toolUse({ input: "INPUT" })], stop_reason: "tool_use" }));
    const input = '{ "a": 1.0, "a": 2 }';
    expect(released(readBody("anthropic", source.replace('"INPUT"', input)))).toEqual([["read_file", input]]);
  });

  test.each([
    ["another kind of object", { object: "chat.completion", choices: [] }],
    ["a content that is no list", body({ content: "hi", stop_reason: "end_turn" })],
    ["a block that is no object", body({ content: ["hi"], stop_reason: "end_turn" })],
    ["an array", []],
    ["a text", '"hi"'],
  ])("is refused when it is %s", (_name, whole) => {
    expect(summary(readBody("anthropic", whole))).toEqual(["indeterminate", "STREAM_MALFORMED", []]);
  });

  test.each([
    ["an error", { type: "error", error: { type: "overloaded_error", message: "over" } }, "overloaded_error"],
    [
      "an error of the gateway",
      { error: { message: "over (request id: x)", type: "comet_api_error", code: "" } },
      "comet_api_error",
    ],
  ])("is refused when it is %s, in the provider's own words", (_name, whole, code) => {
    const reading = readBody("anthropic", whole);
    expect([...summary(reading), reading.errorCode]).toEqual(["indeterminate", "PROVIDER_ERROR", [], code]);
  });

  test.each([null, undefined, ""])("without a stop reason (%j) has no outcome", (reason) => {
    const whole = body({ content: [toolUse()], stop_reason: reason });
    expect(summary(readBody("anthropic", whole)).slice(0, 1)).toEqual(["indeterminate"]);
    expect(released(readBody("anthropic", whole))).toEqual([]);
  });
});
