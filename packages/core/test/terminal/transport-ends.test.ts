import { describe, expect, test } from "vitest";
import { createResponseReader, TRANSPORT_ENDS, type TransportEnd } from "@airlock/core/terminal";
import { ADAPTERS } from "@airlock/core/wire";
import {
  CREATED,
  LIMITS,
  ended,
  executable,
  frame,
  functionCall,
  read,
  summary,
  wholeCall,
} from "./streams.ts";

const OPEN = CREATED + wholeCall(0, functionCall());
const WHOLE = OPEN + ended("completed");
const encoder = new TextEncoder();

const ENDS: readonly (readonly [TransportEnd, string])[] = [
  ["bad_content_type", "BAD_CONTENT_TYPE"],
  ["bad_utf8", "BAD_UTF8"],
  ["cancelled", "CANCELLED"],
  ["clean", "STREAM_TRUNCATED"],
  ["closed_by_marker", "STREAM_TRUNCATED"],
  ["connect_error", "CONNECT_ERROR"],
  ["connect_timeout", "CONNECT_TIMEOUT"],
  ["first_byte_timeout", "FIRST_BYTE_TIMEOUT"],
  ["http_error", "HTTP_ERROR"],
  ["idle_timeout", "IDLE_TIMEOUT"],
  ["message_overflow", "MESSAGE_TOO_LARGE"],
  ["mid_event", "STREAM_TRUNCATED"],
  ["mid_line", "STREAM_TRUNCATED"],
  ["reset", "STREAM_RESET"],
  ["run_timeout", "DEADLINE_EXCEEDED"],
  ["shutdown", "STREAMER_STOPPED"],
  ["stream_overflow", "STREAM_TOO_LARGE"],
  ["total_timeout", "TOTAL_TIMEOUT"],
];

describe("the end of the bytes", () => {
  test("has a row here for every row of the table", () => {
    expect(ENDS.map(([end]) => end)).toEqual(Object.keys(TRANSPORT_ENDS));
  });

  test.each(ENDS)("%s before the marker is indeterminate: %s", (end, errorClass) => {
    expect(summary(read(OPEN, end))).toEqual(["indeterminate", errorClass, ["RESPONSE_NOT_EXECUTABLE"]]);
  });

  test.each(ENDS)("%s after the marker changes nothing", (end) => {
    expect(read(WHOLE, end)).toEqual(read(WHOLE, "clean"));
    expect(executable(read(WHOLE, end))).toBe(true);
  });

  test.each([
    ["no bytes", ""],
    ["only comments", ": ping\n\n: ping\n\n"],
    ["only [DONE]", "data: [DONE]\n\n"],
  ])("is an empty stream after %s", (_name, stream) => {
    expect(summary(read(stream))).toEqual(["indeterminate", "EMPTY_STREAM", []]);
  });

  test.each<[string, string | Uint8Array, TransportEnd]>([
    ["between frames", OPEN, "clean"],
    ["inside a line", `${OPEN}data: {"type":`, "mid_line"],
    ["between the lines of a frame", `${OPEN}event: response.completed\n`, "mid_event"],
    ["inside a character", Uint8Array.of(...encoder.encode(OPEN), 0xe2, 0x82), "bad_utf8"],
    ["with a byte that is no UTF-8", Uint8Array.of(...encoder.encode(OPEN), 0xff, 0x0a), "bad_utf8"],
  ])("%s is named", (_name, stream, end) => {
    expect(read(stream).transport.end).toBe(end);
  });

  test("keeps the error that came first", () => {
    expect(summary(read(OPEN + frame("error", { code: "x" }), "reset")).slice(0, 2)).toEqual([
      "indeterminate",
      "PROVIDER_ERROR",
    ]);
  });

  test("may come without the last blank line, if the closing event's data are whole", () => {
    expect(executable(read(WHOLE.slice(0, -2)))).toBe(true);
    expect(executable(read(WHOLE.slice(0, -2), "reset"))).toBe(false);
  });
});

describe("a reader", () => {
  test("is closed by the marker and ignores what follows", () => {
    const reader = createResponseReader(ADAPTERS.responses, LIMITS);
    expect(reader.push(encoder.encode(OPEN))).toBe("open");
    expect(reader.push(encoder.encode(ended("completed")))).toBe("closed");
    expect(reader.push(encoder.encode(frame("error", { code: "late" })))).toBe("closed");
    expect(reader.push(Uint8Array.of(0xff))).toBe("closed");
    expect(reader.end("reset")).toEqual(read(WHOLE));
  });

  test("reads nothing behind the marker, even if it came in the same piece", () => {
    const late = frame("error", { code: "late" }) + ended("incomplete");
    expect(read(WHOLE + late)).toEqual(read(WHOLE));
  });

  test("is closed by bytes that can't be read", () => {
    const reader = createResponseReader(ADAPTERS.responses, LIMITS);
    expect(reader.push(Uint8Array.of(0xff))).toBe("closed");
    expect(reader.end("clean").errorClass).toBe("BAD_UTF8");
  });

  test("decides once", () => {
    const reader = createResponseReader(ADAPTERS.responses, LIMITS);
    reader.end("clean");
    expect(() => reader.end("clean")).toThrow("ended twice");
  });
});
