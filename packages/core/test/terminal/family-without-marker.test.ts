import { describe, expect, test } from "vitest";
import { createResponseReader } from "@airlock/core/terminal";
import { ADAPTERS, type Adapter } from "@airlock/core/wire";
import { CREATED, LIMITS, argumentsDone, added, done, ended, functionCall, summary } from "./streams.ts";

// In other families the finishing signal is not the closing marker; here `[DONE]` closes the stream.
const CLOSED_BY_DONE: Adapter = {
  ...ADAPTERS.responses,
  closesStream: (message) => message.data === "[DONE]",
};

const CALL = functionCall();
const FINISHED = CREATED + added(0, CALL) + argumentsDone(0, "{}") + done(0, CALL) + ended("completed");
const DONE = "data: [DONE]\n\n";

function readUntilDone(stream: string): ReturnType<typeof summary> {
  const reader = createResponseReader(CLOSED_BY_DONE, LIMITS);
  reader.push(new TextEncoder().encode(stream));
  return summary(reader.end("clean"));
}

describe("after the finishing signal and before the marker", () => {
  test("the same signal again is no contradiction", () => {
    expect(readUntilDone(FINISHED + ended("completed") + DONE)).toEqual([
      "action_required:tool",
      null,
      [null],
    ]);
  });

  test.each([
    ["content", done(1, functionCall({ call_id: "call_2" })), "EVENT_AFTER_FINISH", 2],
    ["another signal", ended("incomplete"), "SIGNAL_CONFLICT", 1],
    ["an error", 'data: {"error":"over"}\n\n', "PROVIDER_ERROR", 1],
  ])("%s makes the response indeterminate", (...[_name, late, errorClass, items]) => {
    expect(readUntilDone(FINISHED + late + DONE)).toEqual([
      "indeterminate",
      errorClass,
      Array.from({ length: items }, () => "RESPONSE_NOT_EXECUTABLE"),
    ]);
  });

  test("the end of the body without the marker is a truncated stream", () => {
    expect(readUntilDone(FINISHED)).toEqual([
      "indeterminate",
      "STREAM_TRUNCATED",
      ["RESPONSE_NOT_EXECUTABLE"],
    ]);
  });
});
