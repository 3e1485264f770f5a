import { describe, expect, test } from "vitest";
import type { ResponseReading } from "@airlock/core/terminal";
import * as anthropic from "../../../../scripts/conformance/anthropic/frames.ts";
import * as gemini from "../../../../scripts/conformance/gemini/frames.ts";
import { readBody, readStream, summary } from "../wire/readings.ts";
import { call, calls, chunk, DONE, finish } from "./chat-streams.ts";
import { CREATED, frame } from "./streams.ts";

function words({ nativeReason, errorCode, providerText }: ResponseReading) {
  return { nativeReason, errorCode, providerText };
}

const NONE = { nativeReason: undefined, errorCode: undefined, providerText: undefined };

describe("what a provider says beside its signal", () => {
  test("is the message of a finish of Gemini's, kept as it came", () => {
    const ended = gemini.chunk({
      candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "Malformed: f(" }],
    });
    const reading = readStream("gemini", gemini.parts(gemini.READ_A) + ended);
    expect(summary(reading)).toEqual(["indeterminate", "CALL_MALFORMED", ["RESPONSE_NOT_EXECUTABLE"]]);
    expect(words(reading)).toEqual({ ...NONE, providerText: "Malformed: f(" });
  });

  test("is the message of a prompt that was blocked", () => {
    const promptFeedback = { blockReason: "SAFETY", blockReasonMessage: "no" };
    expect(words(readStream("gemini", gemini.chunk({ promptFeedback })))).toEqual({
      ...NONE,
      providerText: "no",
    });
  });

  test.each([
    ["the explanation", { category: "cyber", explanation: "no" }, "no"],
    ["or else the category", { category: "cyber", explanation: null }, "cyber"],
    ["or nothing", null, undefined],
  ])("is %s of a refusal of Messages", (_name, stop_details, providerText) => {
    const delta = { stop_reason: "refusal", stop_details };
    const stream = anthropic.STARTED + anthropic.stopReason("refusal", { delta }) + anthropic.STOPPED;
    const body = { id: "m", content: [], stop_reason: "refusal", stop_details };
    expect(words(readStream("anthropic", stream))).toEqual({ ...NONE, providerText });
    expect(words(readBody("anthropic", body))).toEqual({ ...NONE, providerText });
  });

  test("is the code and the message of the first error that it reports", () => {
    const stream =
      CREATED +
      frame("error", { code: "rate_limit_exceeded", message: "slow" }) +
      frame("error", { code: "server_error", message: "over" });
    expect(words(readStream("responses", stream))).toEqual({
      ...NONE,
      errorCode: "rate_limit_exceeded",
      providerText: "slow",
    });
  });

  test("is nothing where the frames themselves are wrong", () => {
    const reading = readStream("responses", `${CREATED}data: {"type":\n\n`);
    expect([reading.errorClass, words(reading)]).toEqual(["STREAM_MALFORMED", NONE]);
  });

  test("is the provider's own reason, where a gateway for Chat gives it on", () => {
    const stream = chunk({ content: "hi" }) + finish("stop", { native_finish_reason: "end_turn" }) + DONE;
    expect(words(readStream("chat", stream))).toEqual({ ...NONE, nativeReason: "end_turn" });
  });

  test("unmasks a malformed call that a gateway took for a normal end", () => {
    const one = calls(call({ index: 0, id: "call_1" }, "f", "{}"));
    const stream = one + finish("stop", { native_finish_reason: "MALFORMED_FUNCTION_CALL" }) + DONE;
    expect(summary(readStream("chat", stream))).toEqual([
      "indeterminate",
      "CALL_MALFORMED",
      ["RESPONSE_NOT_EXECUTABLE"],
    ]);
  });
});

describe("an item says of itself", () => {
  test("that its id was minted, and its siblings say nothing", () => {
    const one = calls(call({ index: 0 }, "f", "{}"), call({ index: 1, id: "call_1" }, "f", '{"a":1}'));
    const reading = readStream("chat", one + finish("tool_calls") + DONE);
    expect(reading.items.map(({ flags }) => flags)).toEqual([["id_synthesised"], undefined]);
    expect(reading.flags).toEqual(["id_synthesised"]);
  });

  test("that its text holds what looks like a call", () => {
    const stream =
      anthropic.STARTED +
      anthropic.text(0, "plain") +
      anthropic.text(1, "<tool_call>{}</tool_call>") +
      anthropic.stopReason("end_turn") +
      anthropic.STOPPED;
    const reading = readStream("anthropic", stream);
    expect(reading.items.map(({ flags }) => flags)).toEqual([undefined, ["tool_markup_in_text"]]);
    expect(reading.flags).toEqual(["tool_markup_in_text"]);
  });
});
