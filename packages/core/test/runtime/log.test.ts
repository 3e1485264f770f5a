import { describe, expect, test } from "vitest";
import { AirlockError } from "@airlock/core/fault";
import { errorFields } from "@airlock/core/runtime";

const CANARY = "canary-7f3a";

function thrown(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return error;
  }
}

describe("the log fields of an error", () => {
  test("of our own tell code and message", () => {
    expect(errorFields(new AirlockError("SEAL_INVALID", "it was moved"))).toEqual({
      errorCode: "SEAL_INVALID",
      detail: "a sealed body did not open: it was moved",
    });
  });

  test("of our own don't tell the cause", () => {
    const error = new AirlockError("SEAL_INVALID", "x", { cause: new Error(CANARY) });
    expect(JSON.stringify(errorFields(error))).not.toContain(CANARY);
  });

  test.each<[string, unknown]>([
    ["a parser that quotes its input", thrown(() => JSON.parse(`${CANARY} is no JSON`) as unknown)],
    ["a message with several lines", new Error(`one\n${CANARY}\nthree`)],
    ["a message with a line that looks like a place", new Error(`bad\n    at ${CANARY} (file.js:1:1)`)],
    ["a message that is only such lines", new TypeError(`at ${CANARY}\n at ${CANARY}`)],
    ["a thrown text", CANARY],
    ["a thrown object", { message: CANARY }],
    ["an error without a stack", Object.assign(new Error(CANARY), { stack: undefined })],
  ])("of %s hold nothing of its message", (_, error) => {
    expect(JSON.stringify(errorFields(error))).not.toContain(CANARY);
  });

  test("of others tell the name and where it was thrown", () => {
    expect(errorFields(new RangeError("x"))).toEqual({
      errorName: "RangeError",
      place: expect.stringMatching(/^at .*log\.test\.ts/),
    });
    expect(errorFields(null)).toEqual({ errorName: "object" });
  });
});
