import { describe, expect, test } from "vitest";
import { ADAPTERS, type SseMessage, type WireEvent } from "@airlock/core/wire";

function message(type: string, fields: object = {}): SseMessage {
  return { event: type, data: JSON.stringify({ type, ...fields }), bare: false };
}

function decode(...messages: SseMessage[]): {
  readonly events: readonly WireEvent[];
  readonly unknownEvents: number;
} {
  const decoder = ADAPTERS.anthropic.createDecoder();
  const events = messages.flatMap((one) => decoder.decode(one));
  return { events: [...events, ...decoder.end()], unknownEvents: decoder.unknownEvents };
}

function block(index: number, start: object, ...deltas: readonly object[]): readonly SseMessage[] {
  return [
    message("content_block_start", { index, content_block: start }),
    ...deltas.map((delta) => message("content_block_delta", { index, delta })),
    message("content_block_stop", { index }),
  ];
}

/** The item that a block becomes. */
function finished(...messages: readonly SseMessage[]): unknown {
  const { events } = decode(...messages);
  const ends = events.filter((event) => event.type === "item_finished");
  return ends.map(({ kind, content, raw }) => ({ kind, content, raw }));
}

describe("the Messages decoder", () => {
  test("gives the shared vocabulary and keeps the original type", () => {
    const start = { type: "tool_use", id: "toolu", name: "f", input: {}, caller: { type: "direct" } };
    const identity = { kind: "tool_call", callId: "toolu", name: "f", argumentsKind: "json" };
    const usage = { inputTokens: null, outputTokens: 4 };
    const { events, unknownEvents } = decode(
      message("message_start", { message: { id: "msg", model: "m", usage: { output_tokens: 4 } } }),
      ...block(
        3,
        start,
        { type: "input_json_delta", partial_json: "" },
        { type: "input_json_delta", partial_json: '{"a":1}' },
      ),
      message("message_delta", { delta: { stop_reason: "tool_use" } }),
      message("message_stop"),
    );
    const signal = { status: "tool_use", reason: null };
    expect(events).toEqual([
      { type: "response_started", wireType: "message_start", responseId: "msg", model: "m" },
      { type: "usage_reported", wireType: "message_start", usage },
      { type: "item_started", wireType: "content_block_start", slot: "3", ...identity },
      { type: "argument_delta", wireType: "content_block_delta", slot: "3", text: '{"a":1}' },
      {
        type: "item_finished",
        wireType: "content_block_stop",
        slot: "3",
        ...identity,
        content: '{"a":1}',
        status: null,
        refusal: false,
        raw: { ...start, input: { a: 1 } },
      },
      {
        type: "response_finished",
        wireType: "message_delta",
        signal,
        restated: null,
        usage: null,
        responseId: "msg",
      },
    ]);
    expect(unknownEvents).toBe(0);
  });

  test("puts text, citations and thinking together as they will be repeated", () => {
    expect(
      finished(
        ...block(
          0,
          { type: "thinking", thinking: "", signature: "" },
          { type: "thinking_delta", thinking: "Let me " },
          { type: "thinking_delta", thinking: "see." },
          { type: "signature_delta", signature: "sealed" },
        ),
        ...block(1, { type: "redacted_thinking", data: "opaque" }),
        ...block(
          2,
          { type: "text", text: "", citations: [{ n: 0 }] },
          { type: "text_delta", text: "Hello " },
          { type: "citations_delta", citation: { n: 1 } },
          { type: "text_delta", text: "there" },
        ),
      ),
    ).toEqual([
      {
        kind: "reasoning",
        content: null,
        raw: { type: "thinking", thinking: "Let me see.", signature: "sealed" },
      },
      { kind: "reasoning", content: null, raw: { type: "redacted_thinking", data: "opaque" } },
      {
        kind: "message",
        content: "Hello there",
        raw: { type: "text", text: "Hello there", citations: [{ n: 0 }, { n: 1 }] },
      },
    ]);
  });

  test.each([
    ["server_tool_use", "provider_executed"],
    ["mcp_tool_use", "provider_executed"],
  ])("never gives the arguments of %s on", (type, kind) => {
    const messages = block(
      0,
      { type, id: "s", name: "f", input: {} },
      { type: "input_json_delta", partial_json: '{"q":1}' },
    );
    expect(finished(...messages)).toEqual([
      { kind, content: null, raw: { type, id: "s", name: "f", input: { q: 1 } } },
    ]);
    expect(decode(...messages).events.filter((event) => event.type === "argument_delta")).toEqual([]);
  });

  test.each([
    { type: "web_search_tool_result", tool_use_id: "s", content: [{ type: "web_search_result" }] },
    { type: "fallback", from: { model: "a" }, to: { model: "b" } },
    { type: "container_upload", file_id: "f" },
    { type: "something_new", input: { a: 1 } },
  ])("keeps $type and does nothing with it", (start) => {
    expect(finished(...block(0, start))).toEqual([{ kind: "other", content: null, raw: start }]);
  });

  test.each([
    ["a summary", [{ type: "compaction_delta", content: "Summary" }], "Summary"],
    ["a failed one", [{ type: "compaction_delta", content: null }], ""],
  ])("keeps %s of a compaction", (_name, deltas, content) => {
    expect(finished(...block(0, { type: "compaction", content: null }, ...deltas))).toEqual([
      { kind: "other", content: null, raw: { type: "compaction", content } },
    ]);
  });

  test("counts what it does not know and ignores it", () => {
    const known = [message("ping"), { event: null, data: " [DONE] ", bare: false }];
    const unknown = [
      message("something_new"),
      { event: null, data: "7", bare: false },
      { event: null, data: "{}", bare: false },
    ];
    expect(decode(...known, ...unknown)).toEqual({ events: [], unknownEvents: 3 });
  });

  test.each([
    ["message_start", {}],
    ["content_block_start", { index: 0 }],
    ["content_block_start", { index: 0, content_block: { text: "" } }],
    ["content_block_start", { content_block: { type: "text" } }],
    ["content_block_delta", { index: 0 }],
    ["content_block_delta", { delta: { type: "text_delta", text: "x" } }],
    ["content_block_stop", {}],
    ["message_delta", { delta: null }],
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
    ["by its event line", message("message_stop"), true],
    ["by its data", { event: null, data: '{"type":"message_stop"}', bare: false }, true],
    [
      "by its data, with an error in it",
      { event: null, data: '{"type":"message_stop","error":{}}', bare: false },
      true,
    ],
    [
      "but not by a text that quotes one",
      { event: null, data: '{"type":"x","text":"message_stop"}', bare: false },
      false,
    ],
    ["but not by cut data", { event: null, data: '{"type":"message_stop"', bare: false }, false],
    ["but not by a bare line", { event: null, data: '{"type":"message_stop"}', bare: true }, false],
    ["but not by [DONE]", { event: null, data: "[DONE]", bare: false }, false],
  ])("sees the closing event %s", (_name, one, closes) => {
    expect(ADAPTERS.anthropic.closesStream(one)).toBe(closes);
  });
});
