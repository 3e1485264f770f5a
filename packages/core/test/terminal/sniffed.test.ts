import { describe, expect, test } from "vitest";
import { createSniffedReader, type ResponseReading, type TransportEnd } from "@airlock/core/terminal";
import { ADAPTERS } from "@airlock/core/wire";
import { DONE, call, calls, finish, readChat, readWhole } from "./chat-streams.ts";
import { LIMITS, executable, summary } from "./streams.ts";

const CALL = call({ index: 0, id: "a", type: "function" }, "f", "{}");
const STREAM = calls(CALL) + finish("tool_calls") + DONE;
const BODY = JSON.stringify({ choices: [{ message: { tool_calls: [CALL] }, finish_reason: "tool_calls" }] });
const encoder = new TextEncoder();

function read(text: string, end: TransportEnd = "clean", options: object = {}): ResponseReading {
  const reader = createSniffedReader(ADAPTERS.chat, { ...LIMITS, ...options });
  for (const byte of encoder.encode(text)) {
    if (reader.push(Uint8Array.of(byte)) === "closed") break;
  }
  return reader.end(end);
}

describe("C88 a body that does not say what it is", () => {
  test.each([
    ["data first", STREAM],
    ["an event first", `event: x\n${STREAM}`],
    ["a comment first", `: ping\n\n${STREAM}`],
    ["a retry first", `retry: 1\n${STREAM}`],
    ["blank lines and a byte order mark", `\uFEFF\n\n${STREAM}`],
  ])("is read as a stream with %s", (_name, text) => {
    expect(read(text)).toEqual(readChat(text));
    expect(executable(read(text))).toBe(true);
  });

  test.each(["", " \n", "\uFEFF"])("is read as JSON behind %j", (blanks) => {
    expect(read(blanks + BODY)).toEqual(readWhole("chat", blanks + BODY));
    expect(executable(read(blanks + BODY))).toBe(true);
  });

  test.each(["<!doctype html><html></html>", "Not found", "  null"])("is refused as %j", (text) => {
    expect(summary(read(text))).toEqual(["indeterminate", "BAD_CONTENT_TYPE", []]);
  });

  test.each([
    ["nothing", "", "clean", "EMPTY_STREAM"],
    ["only blanks", " \n\n", "clean", "EMPTY_STREAM"],
    ["nothing before a reset", "", "reset", "STREAM_RESET"],
    ["an error", '{"error":{"message":"no"}}', "clean", "PROVIDER_ERROR"],
    ["an error in a list", '[{"error":{"message":"no"}}]', "clean", "PROVIDER_ERROR"],
    ["JSON that is cut", BODY.slice(0, -1), "clean", "STREAM_MALFORMED"],
    ["JSON before a reset", BODY, "reset", "STREAM_RESET"],
    ["a stream that is cut", STREAM.slice(0, -9), "clean", "STREAM_TRUNCATED"],
  ] as const)("is indeterminate with %s", (...[_name, text, end, errorClass]) => {
    const reading = read(text, end);
    expect([reading.outcome.kind, reading.errorClass, executable(reading)]).toEqual([
      "indeterminate",
      errorClass,
      false,
    ]);
  });

  test("is held no longer than a stream may be", () => {
    expect(summary(read(BODY, "clean", { maxStreamBytes: 30 }))).toEqual([
      "indeterminate",
      "STREAM_TOO_LARGE",
      [],
    ]);
  });
});
