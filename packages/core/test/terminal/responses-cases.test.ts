import { describe, expect, test } from "vitest";
import type { ResponseReaderOptions } from "@airlock/core/terminal";
import {
  CREATED,
  added,
  argumentsDone,
  delta,
  done,
  ended,
  executable,
  frame,
  functionCall,
  message,
  read,
  summary,
  wholeCall,
} from "./streams.ts";

const CALL = functionCall({ arguments: '{"path":"a"}' });
const OTHER_CALL = functionCall({ id: "fc_2", call_id: "call_2", arguments: '{"path":"b"}' });
const OPENED = CREATED + added(0, functionCall({ arguments: "" }));
const STREAMED = `${OPENED}${delta(0, '{"path":')}${delta(0, '"a"}')}`;
const FINISHED = `${STREAMED}${argumentsDone(0, '{"path":"a"}')}${done(0, CALL)}`;
const COMPLETED = ended("completed");
const ASKS = { type: "mcp_approval_request", id: "mcpr_1", server_label: "shop", name: "x", arguments: "{}" };

type Row = readonly [
  name: string,
  stream: string,
  outcome: string,
  errorClass: string | null,
  items: unknown[],
];

describe("what gateways do and what may run", () => {
  test.each<Row>([
    ["a call by the book", FINISHED + COMPLETED, "action_required:tool", null, [null]],
    [
      "C45 output not restated",
      FINISHED + ended("completed", { output: [] }),
      "action_required:tool",
      null,
      [null],
    ],
    [
      "C45 output restated",
      FINISHED + ended("completed", { output: [CALL] }),
      "action_required:tool",
      null,
      [null],
    ],
    [
      "C46 only done events carry arguments",
      OPENED + argumentsDone(0, '{"path":"a"}') + done(0, CALL) + COMPLETED,
      "action_required:tool",
      null,
      [null],
    ],
    ["C46 only the finished item", CREATED + done(0, CALL) + COMPLETED, "action_required:tool", null, [null]],
    [
      "C47 arguments.done missing",
      STREAMED + done(0, CALL) + COMPLETED,
      "action_required:tool",
      null,
      [null],
    ],
    [
      "C50 item ids change",
      FINISHED.replaceAll("fc_1", () => `fc_${Math.random()}`) + COMPLETED,
      "action_required:tool",
      null,
      [null],
    ],
    [
      "C52 in_progress first, and bare heartbeats",
      `data: {}\n\n${frame("response.in_progress")}data:\n\n${FINISHED}${COMPLETED}`,
      "action_required:tool",
      null,
      [null],
    ],
    [
      "C53 keepalive and unknown events",
      FINISHED + frame("keepalive", { sequence_number: 9 }) + frame("response.new_thing.failed") + COMPLETED,
      "action_required:tool",
      null,
      [null],
    ],
    [
      "C54 no event lines",
      (FINISHED + COMPLETED).replaceAll(/^event: .*\n/gm, ""),
      "action_required:tool",
      null,
      [null],
    ],
    [
      "C55 no identity in the closing event",
      FINISHED + frame("response.completed", { response: {} }),
      "action_required:tool",
      null,
      [null],
    ],
    [
      "C36 [DONE] before the marker",
      `${FINISHED}data: [DONE]\n\n${COMPLETED}`,
      "action_required:tool",
      null,
      [null],
    ],
    [
      "a custom tool call",
      CREATED +
        added(0, { type: "custom_tool_call", call_id: "c", name: "sql", input: "" }) +
        frame("response.custom_tool_call_input.delta", { output_index: 0, delta: "x {" }) +
        frame("response.custom_tool_call_input.done", { output_index: 0, input: "x {" }) +
        done(0, { type: "custom_tool_call", call_id: "c", name: "sql", input: "x {" }) +
        COMPLETED,
      "action_required:tool",
      null,
      [null],
    ],
    [
      "two calls",
      FINISHED + wholeCall(1, OTHER_CALL) + ended("completed", { output: [CALL, OTHER_CALL] }),
      "action_required:tool",
      null,
      [null, null],
    ],
    [
      "a message",
      CREATED + done(0, message("hi")) + ended("completed", { output: [message("hi")] }),
      "candidate_complete",
      null,
      [null],
    ],
    ["nothing at all", CREATED + COMPLETED, "candidate_complete", null, []],
    [
      "a hosted tool that asks, beside a call",
      CREATED +
        done(0, { type: "mcp_approval_request", id: "mcpr_1", name: "x", arguments: "{}" }) +
        done(1, CALL) +
        COMPLETED,
      "action_required:approve",
      null,
      [null, "RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "a refusal",
      CREATED + done(0, { type: "message", content: [{ type: "refusal", refusal: "no" }] }) + COMPLETED,
      "policy_stop",
      null,
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "the provider's status words on its own items",
      CREATED + done(0, { type: "image_generation_call", status: "generating" }) + COMPLETED,
      "candidate_complete",
      null,
      [null],
    ],
    [
      "a placeholder call id of a tool search",
      CREATED +
        added(0, { type: "tool_search_call", execution: "client", call_id: "p", arguments: {} }) +
        done(0, { type: "tool_search_call", execution: "client", call_id: "q", arguments: { goal: "g" } }) +
        COMPLETED,
      "action_required:tool",
      null,
      [null],
    ],
  ])("accepts %s", (...[_name, stream, outcome, errorClass, items]) => {
    expect(summary(read(stream))).toEqual([outcome, errorClass, items]);
  });

  test.each<Row>([
    [
      "C45 other arguments restated",
      FINISHED + ended("completed", { output: [functionCall({ arguments: "{}" })] }),
      "indeterminate",
      "RESTATED_MISMATCH",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "another server of a hosted tool that asks restated",
      CREATED + done(0, ASKS) + ended("completed", { output: [{ ...ASKS, server_label: "other" }] }),
      "indeterminate",
      "RESTATED_MISMATCH",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "a second request under the same id",
      CREATED + done(0, ASKS) + done(1, ASKS) + COMPLETED,
      "indeterminate",
      "IDENTITY_CONFLICT",
      ["IDENTITY_CONFLICT", "IDENTITY_CONFLICT"],
    ],
    [
      "a request without an id",
      CREATED + done(0, { ...ASKS, id: "" }) + COMPLETED,
      "indeterminate",
      "IDENTITY_CONFLICT",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "C45 another name restated",
      FINISHED + ended("completed", { output: [{ ...CALL, name: "x" }] }),
      "indeterminate",
      "RESTATED_MISMATCH",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "C45 another call id restated",
      FINISHED + ended("completed", { output: [{ ...CALL, call_id: "x" }] }),
      "indeterminate",
      "RESTATED_MISMATCH",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "C45 one call more restated",
      FINISHED + ended("completed", { output: [CALL, OTHER_CALL] }),
      "indeterminate",
      "RESTATED_MISMATCH",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "C45 one call fewer restated",
      FINISHED + ended("completed", { output: [message("")] }),
      "indeterminate",
      "RESTATED_MISMATCH",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "C45 another text restated",
      CREATED + done(0, message("hi")) + ended("completed", { output: [message("ho")] }),
      "indeterminate",
      "RESTATED_MISMATCH",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "calls announced and absent",
      CREATED + ended("completed", { output: [CALL] }),
      "indeterminate",
      "CALLS_ABSENT",
      [],
    ],
    [
      "C47 output_item.done missing",
      `${STREAMED}${argumentsDone(0, '{"path":"a"}')}${COMPLETED}`,
      "indeterminate",
      "ITEM_INCOMPLETE",
      ["ITEM_INCOMPLETE"],
    ],
    [
      "C47 output_item.done missing, though restated",
      STREAMED + done(1, OTHER_CALL) + ended("completed", { output: [CALL, OTHER_CALL] }),
      "indeterminate",
      "ITEM_INCOMPLETE",
      ["ITEM_INCOMPLETE", "RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "C48 the final text differs",
      STREAMED + done(0, functionCall({ arguments: "{}" })) + COMPLETED,
      "indeterminate",
      "ARGUMENTS_MISMATCH",
      ["ARGUMENTS_MISMATCH"],
    ],
    [
      "C48 the final text only extends",
      `${OPENED}${delta(0, '{"path":')}${done(0, CALL)}${COMPLETED}`,
      "indeterminate",
      "ARGUMENTS_MISMATCH",
      ["ARGUMENTS_MISMATCH"],
    ],
    [
      "C48 arguments.done differs from the item",
      OPENED + argumentsDone(0, "{}") + done(0, CALL) + COMPLETED,
      "indeterminate",
      "ARGUMENTS_MISMATCH",
      ["ARGUMENTS_MISMATCH"],
    ],
    [
      "C50 call ids differ",
      OPENED + done(0, { ...CALL, call_id: "x" }) + COMPLETED,
      "indeterminate",
      "IDENTITY_CONFLICT",
      ["IDENTITY_CONFLICT"],
    ],
    [
      "C50 types differ",
      OPENED +
        done(0, { type: "custom_tool_call", call_id: "call_1", name: "read_file", input: "" }) +
        COMPLETED,
      "indeterminate",
      "IDENTITY_CONFLICT",
      ["IDENTITY_CONFLICT"],
    ],
    [
      "names differ",
      OPENED + done(0, { ...CALL, name: "x" }) + COMPLETED,
      "indeterminate",
      "IDENTITY_CONFLICT",
      ["IDENTITY_CONFLICT"],
    ],
    [
      "arguments.done names another tool",
      OPENED + argumentsDone(0, "{}", { name: "x" }) + done(0, functionCall()) + COMPLETED,
      "indeterminate",
      "IDENTITY_CONFLICT",
      ["IDENTITY_CONFLICT"],
    ],
    [
      "a call without an id",
      CREATED + done(0, { ...CALL, call_id: "" }) + COMPLETED,
      "indeterminate",
      "IDENTITY_CONFLICT",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "two calls with one id",
      FINISHED + wholeCall(1, CALL) + COMPLETED,
      "indeterminate",
      "IDENTITY_CONFLICT",
      ["IDENTITY_CONFLICT", "IDENTITY_CONFLICT"],
    ],
    [
      "an item whose status says it was cut",
      OPENED + done(0, { ...CALL, status: "incomplete" }) + COMPLETED,
      "indeterminate",
      "ITEM_INCOMPLETE",
      ["ITEM_INCOMPLETE"],
    ],
    [
      "fragments before their item",
      CREATED + delta(0, "{}") + wholeCall(0, functionCall()) + COMPLETED,
      "indeterminate",
      "EVENT_ORDER",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "fragments after their item",
      FINISHED + delta(0, "x") + COMPLETED,
      "indeterminate",
      "EVENT_ORDER",
      ["EVENT_ORDER"],
    ],
    [
      "an item that opens twice",
      OPENED + wholeCall(0, CALL) + COMPLETED,
      "indeterminate",
      "EVENT_ORDER",
      ["EVENT_ORDER"],
    ],
    [
      "an item that finishes twice",
      FINISHED + done(0, { ...CALL, name: "x" }) + COMPLETED,
      "indeterminate",
      "EVENT_ORDER",
      ["EVENT_ORDER"],
    ],
    [
      "C52 numbers that run backwards",
      frame("response.created", { sequence_number: 4 }) +
        frame("response.in_progress", { sequence_number: 3 }) +
        FINISHED +
        COMPLETED,
      "indeterminate",
      "EVENT_ORDER",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "C53 an unknown ending",
      FINISHED + frame("response.cancelled") + COMPLETED,
      "indeterminate",
      "SIGNAL_UNKNOWN",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "C54 event line and type differ",
      `${FINISHED}event: response.created\ndata: {"type":"keepalive"}\n\n${COMPLETED}`,
      "indeterminate",
      "STREAM_MALFORMED",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "C41 an error object in a frame",
      `${FINISHED}data: {"error":{"message":"over"}}\n\n${COMPLETED}`,
      "indeterminate",
      "PROVIDER_ERROR",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "an error in the closing snapshot",
      FINISHED + ended("completed", { error: { code: "server_error" } }),
      "indeterminate",
      "PROVIDER_ERROR",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "C84 a bare line of JSON",
      `${FINISHED}{"error":{"message":"bad gateway"}}\n${COMPLETED}`,
      "indeterminate",
      "PROVIDER_ERROR",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "a frame that is not JSON",
      `${FINISHED}data: {"type":\n\n${COMPLETED}`,
      "indeterminate",
      "STREAM_MALFORMED",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "a frame that lacks its index",
      FINISHED + frame("response.output_item.done", { item: OTHER_CALL }) + COMPLETED,
      "indeterminate",
      "STREAM_MALFORMED",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "arguments that are an object",
      CREATED + done(0, functionCall({ arguments: { path: "a" } })) + COMPLETED,
      "indeterminate",
      "STREAM_MALFORMED",
      [],
    ],
    [
      "a closing event with another status",
      FINISHED + frame("response.completed", { response: { status: "failed" } }),
      "indeterminate",
      "SIGNAL_CONFLICT",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "a completed response with a reason for being cut",
      FINISHED + ended("completed", { incomplete_details: { reason: "max_output_tokens" } }),
      "indeterminate",
      "SIGNAL_CONFLICT",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "a refusal after an error",
      CREATED +
        frame("error", { code: "x" }) +
        done(0, { type: "message", content: [{ type: "refusal", refusal: "no" }] }) +
        COMPLETED,
      "indeterminate",
      "PROVIDER_ERROR",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
    [
      "C83 a closing event that is cut",
      `${FINISHED}${COMPLETED.slice(0, -3)}`,
      "indeterminate",
      "STREAM_TRUNCATED",
      ["RESPONSE_NOT_EXECUTABLE"],
    ],
  ])("refuses %s", (...[_name, stream, outcome, errorClass, items]) => {
    const reading = read(stream);
    expect(summary(reading)).toEqual([outcome, errorClass, items]);
    expect([executable(reading), reading.outputItems]).toEqual([false, []]);
  });
});

describe("content that is wrong in one call", () => {
  const OPTIONS: Partial<ResponseReaderOptions> = { maxArgumentBytes: 20 };

  test.each([
    ["a replaced character", functionCall({ arguments: '{"p":"\uFFFD"}' }), "BAD_UTF8", '{"p":"\uFFFD"}', 11],
    [
      "arguments over the limit",
      functionCall({ arguments: `{"p":"${"ä".repeat(7)}"}` }),
      "ARGUMENTS_TOO_LARGE",
      "",
      22,
    ],
  ])("sets only that call aside: %s", (...[_name, bad, errorClass, content, bytes]) => {
    const reading = read(
      CREATED + wholeCall(0, bad) + wholeCall(1, OTHER_CALL) + COMPLETED,
      "clean",
      OPTIONS,
    );
    expect(summary(reading)).toEqual(["action_required:tool", null, [errorClass, null]]);
    expect(reading.items[0]).toEqual({
      ordinal: 0,
      kind: "tool_call",
      callId: "call_1",
      name: "read_file",
      argumentsKind: "json",
      content,
      bytes,
      state: "QUARANTINED",
      errorClass,
    });
  });
});

describe("the output budget", () => {
  test.each([
    ["below the cap", 99, "action_required:tool", null],
    ["at the cap", 100, "truncated", "USAGE_AT_CAP"],
    ["above the cap", 101, "truncated", "USAGE_AT_CAP"],
  ])("a completed response %s", (...[_name, spent, outcome, errorClass]) => {
    const stream = FINISHED + ended("completed", { usage: { input_tokens: 1, output_tokens: spent } });
    const reading = read(stream, "clean", { requestedMaxOutputTokens: 100 });
    expect(summary(reading).slice(0, 2)).toEqual([outcome, errorClass]);
    expect(reading.usage).toEqual({ inputTokens: 1, outputTokens: spent });
  });

  test("a cut response keeps its text and none of its items", () => {
    const stream =
      CREATED +
      done(0, message("half", { status: "incomplete" })) +
      STREAMED.slice(CREATED.length).replaceAll('"output_index":0', '"output_index":1') +
      ended("incomplete", { incomplete_details: { reason: "max_output_tokens" } });
    const reading = read(stream);
    expect(summary(reading)).toEqual(["truncated", null, ["ITEM_INCOMPLETE", "ITEM_INCOMPLETE"]]);
    expect([reading.outputText, reading.outputItems, reading.items[1]?.content]).toEqual([
      "half",
      [],
      '{"path":"a"}',
    ]);
  });
});

describe("limits of a response", () => {
  test("more items than allowed make it indeterminate", () => {
    const reading = read(FINISHED + wholeCall(1, OTHER_CALL) + COMPLETED, "clean", { maxItems: 1 });
    expect(summary(reading)).toEqual(["indeterminate", "TOO_MANY_ITEMS", ["RESPONSE_NOT_EXECUTABLE"]]);
  });

  test.each([
    ["a message", { maxMessageBytes: 200 }, "MESSAGE_TOO_LARGE", "message_overflow"],
    ["the stream", { maxStreamBytes: 200 }, "STREAM_TOO_LARGE", "stream_overflow"],
  ])("too many bytes in %s end it, and say whose they were", (_name, options, errorClass, end) => {
    const reading = read(CREATED + done(0, message("x".repeat(300))) + COMPLETED, "clean", options);
    expect(summary(reading)).toEqual(["indeterminate", errorClass, []]);
    expect(reading.transport.end).toBe(end);
  });
});

test("a reading says everything about one response", () => {
  const reasoning = { type: "reasoning", id: "rs_1", encrypted_content: "sealed", summary: [] };
  const stream =
    CREATED + done(0, reasoning) + done(1, message("hi")) + done(2, CALL) + frame("response.new") + COMPLETED;
  expect(read(stream)).toEqual({
    responseId: "resp_1",
    raw: { status: "completed", reason: null },
    outcome: { kind: "action_required", action: "tool" },
    errorClass: null,
    items: [
      {
        ordinal: 0,
        kind: "reasoning",
        callId: null,
        name: null,
        argumentsKind: null,
        content: "",
        bytes: 0,
        state: "ITEM_TERMINAL",
        errorClass: null,
      },
      {
        ordinal: 1,
        kind: "message",
        callId: null,
        name: null,
        argumentsKind: null,
        content: "hi",
        bytes: 2,
        state: "ITEM_TERMINAL",
        errorClass: null,
      },
      {
        ordinal: 2,
        kind: "tool_call",
        callId: "call_1",
        name: "read_file",
        argumentsKind: "json",
        content: '{"path":"a"}',
        bytes: 12,
        state: "ITEM_TERMINAL",
        errorClass: null,
      },
    ],
    outputItems: [reasoning, message("hi"), CALL],
    outputText: "hi",
    usage: null,
    transport: { end: "closed_by_marker", bytes: Buffer.byteLength(stream), messages: 6, unknownEvents: 1 },
  });
});
