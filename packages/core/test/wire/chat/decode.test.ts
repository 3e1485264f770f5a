import { describe, expect, test } from "vitest";
import { ADAPTERS, type SseMessage, type WireEvent } from "@airlock/core/wire";

function message(data: unknown): SseMessage {
  return { event: null, data: typeof data === "string" ? data : JSON.stringify(data), bare: false };
}

function chunk(choice: object, fields: object = {}): SseMessage {
  return message({ id: "r", object: "chat.completion.chunk", model: "m", choices: [choice], ...fields });
}

function decode(...messages: SseMessage[]): {
  readonly events: readonly WireEvent[];
  readonly unknownEvents: number;
} {
  const decoder = ADAPTERS.chat.createDecoder();
  const events = messages.flatMap((one) => decoder.decode(one));
  return { events: [...events, ...decoder.end()], unknownEvents: decoder.unknownEvents };
}

describe("the Chat decoder", () => {
  test("gives the shared vocabulary", () => {
    const identity = { kind: "tool_call", callId: "c", argumentsKind: "json" };
    const nothing = { callId: null, name: null, argumentsKind: null };
    const plain = { ...nothing, status: null, raw: null };
    const fragment = { index: 3, id: "c", type: "function", function: { name: "f", arguments: "{}" } };
    const expected = [
      { type: "response_started", responseId: "r", model: "m" },
      { type: "item_started", slot: "message", kind: "message", ...nothing },
      { type: "text_delta", slot: "message", text: "hi" },
      { type: "item_started", slot: "call 0", ...identity, name: null },
      { type: "argument_delta", slot: "call 0", text: "{}" },
      { type: "usage_reported", usage: { inputTokens: 3, outputTokens: 4 } },
      { type: "item_finished", slot: "message", kind: "message", ...plain, content: "hi", refusal: false },
      {
        type: "item_finished",
        slot: "call 0",
        ...identity,
        name: "f",
        status: null,
        raw: null,
        content: "{}",
        refusal: false,
      },
      {
        type: "response_finished",
        signal: { status: "tool_calls", reason: null },
        restated: null,
        output: [
          {
            role: "assistant",
            content: "hi",
            tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
          },
        ],
        usage: null,
        responseId: "r",
      },
    ];
    expect(
      decode(
        chunk({ index: 0, delta: { role: "assistant", content: "" } }),
        chunk({ index: 0, delta: { content: "hi" } }),
        chunk({ index: 0, delta: { tool_calls: [fragment] } }),
        chunk(
          { index: 0, delta: {}, finish_reason: "tool_calls" },
          { usage: { prompt_tokens: 3, completion_tokens: 4 } },
        ),
        message("[DONE]"),
      ),
    ).toEqual({
      events: expected.map((event) => ({ ...event, wireType: "chat.completion.chunk" })),
      unknownEvents: 0,
    });
  });

  test("counts what is no chunk and ignores it", () => {
    const noise = [message({ type: "ping" }), message("7"), message("{}"), message({ x: 1, usage: {} })];
    expect(decode(...noise, message(""), message(" [DONE] "))).toEqual({ events: [], unknownEvents: 4 });
  });

  test("takes the first id that is not empty", () => {
    const { events } = decode(chunk({}, { id: "" }), chunk({}), chunk({}, { id: "other" }));
    expect(events.map((event) => (event.type === "response_started" ? event.responseId : event))).toEqual([
      null,
      "r",
    ]);
  });

  test.each([
    ["choices: a text", { choices: "x" }],
    ["a choice: a text", { choices: ["x"] }],
    ["a delta: a text", { choices: [{ delta: "x" }] }],
    ["content: a number", { choices: [{ delta: { content: 1 } }] }],
    ["tool_calls: an object", { choices: [{ delta: { tool_calls: {} } }] }],
    ["a call: a text", { choices: [{ delta: { tool_calls: ["x"] } }] }],
    ["an index: an object", { choices: [{ delta: { tool_calls: [{ index: {} }] } }] }],
    ["a function: a text", { choices: [{ delta: { tool_calls: [{ index: 0, function: "x" }] } }] }],
    ["a name: an object", { choices: [{ delta: { tool_calls: [{ index: 0, function: { name: {} } }] } }] }],
    [
      "arguments: a number",
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: 1 } }] } }] },
    ],
    ["function_call: a text", { choices: [{ delta: { function_call: "x" } }] }],
    ["finish_reason: a number", { choices: [{ delta: {}, finish_reason: 1 }] }],
  ])("calls a chunk malformed with %s", (_name, data) => {
    expect(decode(message({ ...data, object: "c" })).events.at(-1)).toEqual({
      type: "stream_error",
      wireType: "c",
      code: "malformed_frame",
      message: null,
      errorClass: "STREAM_MALFORMED",
    });
  });

  test("reads text out of parts", () => {
    const content = [
      { type: "thinking", thinking: [] },
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ];
    expect(decode(chunk({ delta: { content } })).events.at(-1)).toMatchObject({
      type: "text_delta",
      text: "ab",
    });
  });

  test.each([
    ["[DONE]", true],
    ["  [DONE] ", true],
    ["[DONE]x", false],
    ['{"content":"[DONE]"}', false],
  ])("takes %j for the marker: %s", (data, closes) => {
    expect(ADAPTERS.chat.closesStream(message(data))).toBe(closes);
    expect(ADAPTERS.chat.closesStream({ ...message(data), bare: true })).toBe(false);
  });

  test("reads the one item that its output is made of", () => {
    const facts = { kind: "message", callId: null, name: null, argumentsKind: null, status: null };
    expect(ADAPTERS.chat.readItem({ role: "assistant", content: "a" })).toEqual({
      ...facts,
      content: "a",
      refusal: false,
    });
    expect(ADAPTERS.chat.readItem({ role: "assistant", refusal: "no" })).toEqual({
      ...facts,
      content: "",
      refusal: true,
    });
    expect(ADAPTERS.chat.readItem({ type: "message" })).toBeNull();
  });
});
