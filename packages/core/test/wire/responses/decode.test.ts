import { describe, expect, test } from "vitest";
import { ADAPTERS, type SseMessage, type WireEvent } from "@airlock/core/wire";

function message(type: string, fields: object = {}): SseMessage {
  return { event: type, data: JSON.stringify({ type, ...fields }), bare: false };
}

function decode(...messages: SseMessage[]): {
  readonly events: readonly WireEvent[];
  readonly unknownEvents: number;
} {
  const decoder = ADAPTERS.responses.createDecoder();
  const events = messages.flatMap((one) => decoder.decode(one));
  return { events, unknownEvents: decoder.unknownEvents };
}

describe("the Responses decoder", () => {
  test("gives the shared vocabulary and keeps the original type", () => {
    const item = {
      type: "function_call",
      id: "fc",
      call_id: "c",
      name: "f",
      arguments: "{}",
      status: "completed",
    };
    const response = { id: "r", model: "m", usage: { input_tokens: 3, output_tokens: 4 }, output: [item] };
    const messages = [
      message("response.created", { response }),
      message("response.output_item.added", { output_index: 3, item: { ...item, arguments: "" } }),
      message("response.function_call_arguments.delta", { output_index: 3, delta: "{}", obfuscation: "xyz" }),
      message("response.function_call_arguments.done", { output_index: 3, arguments: "{}" }),
      message("response.output_text.delta", { output_index: 4, delta: "hi" }),
      message("response.output_item.done", { output_index: 3, item }),
      message("response.completed", { response }),
    ];
    const identity = { kind: "tool_call", callId: "c", name: "f", argumentsKind: "json" };
    const signal = { status: "completed", reason: null };
    const usage = { inputTokens: 3, outputTokens: 4 };
    const expected = [
      { type: "response_started", responseId: "r", model: "m" },
      { type: "item_started", slot: "3", ...identity },
      { type: "argument_delta", slot: "3", text: "{}" },
      { type: "argument_finished", slot: "3", text: "{}", name: null },
      { type: "text_delta", slot: "4", text: "hi" },
      {
        type: "item_finished",
        slot: "3",
        ...identity,
        content: "{}",
        status: "completed",
        refusal: false,
        raw: item,
      },
      { type: "response_finished", signal, restated: [item], usage, responseId: "r" },
    ];
    expect(decode(...messages)).toEqual({
      events: expected.map((event, index) => ({ ...event, wireType: messages[index]?.event })),
      unknownEvents: 0,
    });
  });

  test("counts what it does not know and ignores it", () => {
    const known = [
      message("keepalive"),
      message("response.mcp_call.failed"),
      { event: null, data: " [DONE] ", bare: false },
    ];
    const unknown = [
      message("response.new"),
      message("response.item.failed"),
      { event: null, data: "7", bare: false },
      { event: null, data: "{}", bare: false },
    ];
    expect(decode(...known, ...unknown)).toEqual({ events: [], unknownEvents: 4 });
  });

  test.each([
    ["flat", { type: "error", code: "c", message: "m", param: null }, "c", "m"],
    ["nested", { type: "error", error: { type: "t", code: "c", message: "m" } }, "c", "m"],
    ["nested without a code", { type: "error", error: { type: "t", message: "m" } }, "t", "m"],
    ["in an untyped frame", { error: { code: "c", message: "m" } }, "c", "m"],
    ["a text", { error: "m" }, null, "m"],
    ["without details", { type: "error" }, null, null],
  ])("reads an error that is %s", (...[_name, data, code, text]) => {
    const { events } = decode({ event: null, data: JSON.stringify(data), bare: false });
    expect(events).toEqual([
      { type: "stream_error", wireType: "error", code, message: text, errorClass: "PROVIDER_ERROR" },
    ]);
  });

  test("does not take error: null for an error", () => {
    expect(
      decode(message("response.created", { error: null, response: { error: null } })).events,
    ).toHaveLength(1);
  });

  test.each([
    ["response.output_item.added", { output_index: 0 }],
    ["response.output_item.added", { item: { type: "message" } }],
    ["response.output_item.done", { output_index: -1, item: { type: "message" } }],
    [
      "response.output_item.done",
      { output_index: 0, item: { type: "function_call", call_id: "c", arguments: {} } },
    ],
    ["response.function_call_arguments.delta", { output_index: 0 }],
    ["response.function_call_arguments.delta", { output_index: 0, delta: { a: 1 } }],
    ["response.function_call_arguments.done", { output_index: 0 }],
    ["response.completed", {}],
    ["response.completed", { response: { output: {} } }],
    ["response.completed", { response: { output: ["x"] } }],
  ])("calls %s with %j malformed", (type, fields) => {
    expect(decode(message(type, fields)).events).toEqual([
      {
        type: "stream_error",
        wireType: type,
        code: "malformed_frame",
        message: null,
        errorClass: "STREAM_MALFORMED",
      },
    ]);
  });

  test.each([
    ["by its event line", message("response.completed", { response: {} }), true],
    ["by its data", { event: null, data: '{"type":"response.failed"}', bare: false }, true],
    [
      "by its data, with an error in it",
      { event: null, data: '{"type":"response.failed","error":{}}', bare: false },
      true,
    ],
    [
      "but not by a text that quotes one",
      { event: null, data: '{"type":"x","delta":"response.completed"}', bare: false },
      false,
    ],
    ["but not by cut data", { event: null, data: '{"type":"response.completed"', bare: false }, false],
    ["but not by a bare line", { event: null, data: '{"type":"response.completed"}', bare: true }, false],
    ["but not by [DONE]", { event: null, data: "[DONE]", bare: false }, false],
  ])("sees the closing event %s", (_name, one, closes) => {
    expect(ADAPTERS.responses.closesStream(one)).toBe(closes);
  });
});
