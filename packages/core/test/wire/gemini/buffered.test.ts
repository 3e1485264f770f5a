import { describe, expect, test } from "vitest";
import { readBody, readStream, released, summary, told } from "../readings.ts";
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

const HEAD = { responseId: "resp_1", modelVersion: "m" };

function body(finishReason: string, ...sent: readonly object[]): object {
  return { ...HEAD, candidates: [{ content: { role: "model", parts: sent }, finishReason, index: 0 }] };
}

describe("a response that did not come as a stream", () => {
  test.each([
    ["text", parts(text("hel")) + parts(text("lo")) + STOP, body("STOP", text("hello"))],
    [
      "a thought and two calls",
      parts({ text: "So.", thought: true }) +
        parts({ ...READ_A, thoughtSignature: "s" }) +
        parts(READ_B) +
        STOP,
      body("STOP", { text: "So.", thought: true }, { ...READ_A, thoughtSignature: "s" }, READ_B),
    ],
    [
      "a call that was streamed",
      parts(OPENER) + parts(fragment(piece("$.path", "a"))) + parts(CLOSER) + STOP,
      body("STOP", READ_A),
    ],
    ["a cut answer", parts(text("hel")) + finish("MAX_TOKENS"), body("MAX_TOKENS", text("hel"))],
    ["a malformed call", finish("MALFORMED_FUNCTION_CALL"), body("MALFORMED_FUNCTION_CALL")],
    [
      "a rejected prompt",
      chunk({ promptFeedback: { blockReason: "SAFETY" } }),
      { ...HEAD, promptFeedback: { blockReason: "SAFETY" } },
    ],
    [
      "an array of chunks",
      parts(READ_A) + parts(READ_B) + STOP,
      [body("", READ_A), body("", READ_B), body("STOP")],
    ],
  ])("reads like its stream: %s", (_name, stream, whole) => {
    expect(told(readBody("gemini", whole))).toEqual(told(readStream("gemini", stream)));
  });

  test.each([
    ["by itself", (whole: object) => whole],
    ["in an array", (whole: object) => [body("", text("x")), whole]],
  ])("gives on the text of its arguments as it was sent, %s", (_name, wrap) => {
    const args = '{ "a": 1.0, "a": 2 }';
    const source = JSON.stringify(wrap(body("STOP", call({ name: "f", args: "ARGS" }))));
    expect(released(readBody("gemini", source.replace('"ARGS"', args)))).toEqual([["f", args]]);
  });

  test.each([
    ["an error", "PROVIDER_ERROR", { error: { code: 400, message: "bad", status: "INVALID_ARGUMENT" } }],
    [
      "an array with an error",
      "PROVIDER_ERROR",
      [{ error: { code: 400, message: "bad", status: "INVALID_ARGUMENT" } }],
    ],
    ["an array that ends in an error", "PROVIDER_ERROR", [body("STOP", READ_A), { error: { code: 500 } }]],
    ["an empty array", "STREAM_MALFORMED", []],
    ["an array of texts", "STREAM_MALFORMED", ["x"]],
    ["an empty object", "STREAM_MALFORMED", {}],
    ["another kind of object", "STREAM_MALFORMED", { object: "chat.completion", choices: [] }],
    ["a text", "STREAM_MALFORMED", '"x"'],
  ] as const)("is refused when it is %s", (...[_name, errorClass, whole]) => {
    const reading = readBody("gemini", whole);
    expect(summary(reading).slice(0, 2)).toEqual(["indeterminate", errorClass]);
    expect(released(reading)).toEqual([]);
  });

  test("without a finish reason has no outcome", () => {
    expect(summary(readBody("gemini", body("", READ_A)))).toEqual([
      "indeterminate",
      "STREAM_TRUNCATED",
      ["RESPONSE_NOT_EXECUTABLE"],
    ]);
  });
});
