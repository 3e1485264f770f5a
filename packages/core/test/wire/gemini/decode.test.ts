import { describe, expect, test } from "vitest";
import { ADAPTERS, type SseMessage, type WireEvent } from "@airlock/core/wire";

function message(data: object | string, event: string | null = null): SseMessage {
  return { event, data: typeof data === "string" ? data : JSON.stringify(data), bare: false };
}

function parts(...sent: readonly object[]): SseMessage {
  return message({ candidates: [{ content: { role: "model", parts: sent } }] });
}

function decode(...messages: SseMessage[]): {
  readonly events: readonly WireEvent[];
  readonly unknownEvents: number;
} {
  const decoder = ADAPTERS.gemini.createDecoder();
  const events = messages.flatMap((one) => decoder.decode(one));
  return { events: [...events, ...decoder.end()], unknownEvents: decoder.unknownEvents };
}

/** The items that parts become. */
function finished(...messages: readonly SseMessage[]): unknown {
  const ends = decode(...messages).events.filter((event) => event.type === "item_finished");
  return ends.map(({ kind, content, raw }) => ({ kind, content, raw }));
}

describe("the Gemini decoder", () => {
  test("gives the shared vocabulary", () => {
    const part = { functionCall: { id: "1", name: "f", args: { a: 1 } }, thoughtSignature: "s" };
    const identity = { kind: "tool_call", callId: "1", name: "f", argumentsKind: "json" };
    const answer = { kind: "message", callId: null, name: null, argumentsKind: null };
    const end = { status: null, refusal: false };
    const expected = [
      { type: "response_started", responseId: "r", model: "m" },
      { type: "usage_reported", usage: { inputTokens: 3, outputTokens: null } },
      { type: "item_started", slot: "part:1", ...answer },
      { type: "text_delta", slot: "part:1", text: "hi" },
      { type: "item_finished", slot: "part:1", raw: { text: "hi" }, ...answer, content: "hi", ...end },
      { type: "item_started", slot: "id:1", ...identity },
      { type: "item_finished", slot: "id:1", raw: part, ...identity, content: '{"a":1}', ...end },
      {
        type: "response_finished",
        signal: { status: "STOP", reason: null },
        restated: null,
        usage: null,
        responseId: "r",
      },
    ];
    const content = { role: "model", parts: [{ text: "hi" }, part] };
    const { events, unknownEvents } = decode(
      message({
        responseId: "r",
        modelVersion: "m",
        candidates: [{ content, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 3 },
      }),
    );
    expect(events).toEqual(expected.map((event) => ({ ...event, wireType: "GenerateContentResponse" })));
    expect(unknownEvents).toBe(0);
  });

  test("joins plain text and keeps every part that has a signature by itself", () => {
    const signed = { text: "", thoughtSignature: "s" };
    expect(
      finished(
        parts({ text: "So ", thought: true }),
        parts({ text: "so.", thought: true }, { text: "Hel" }),
        parts({ text: "lo" }),
        parts(signed),
        parts({ text: "!" }),
        parts({ thoughtSignature: "t" }),
      ),
    ).toEqual([
      { kind: "reasoning", content: null, raw: { text: "So so.", thought: true } },
      { kind: "message", content: "Hello", raw: { text: "Hello" } },
      { kind: "message", content: "", raw: signed },
      { kind: "message", content: "!", raw: { text: "!" } },
      { kind: "reasoning", content: null, raw: { thoughtSignature: "t" } },
    ]);
  });

  test("repeats a streamed call in one part, with the signature of its first", () => {
    expect(
      finished(
        parts({ functionCall: { name: "f", willContinue: true }, thoughtSignature: "s" }),
        parts({ functionCall: { partialArgs: [{ jsonPath: "$.a", numberValue: 1 }], willContinue: true } }),
        parts({ functionCall: {} }),
      ),
    ).toEqual([
      {
        kind: "tool_call",
        content: '{"a":1}',
        raw: { functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "s" },
      },
    ]);
  });

  test.each([
    [{ executableCode: { language: "PYTHON", code: "x" } }, "provider_executed"],
    [{ toolCall: { toolType: "GOOGLE_SEARCH" } }, "provider_executed"],
    [{ codeExecutionResult: { outcome: "OUTCOME_OK" } }, "other"],
    [{ toolResponse: { toolType: "GOOGLE_SEARCH" } }, "other"],
    [{ functionResponse: { name: "f", response: {} } }, "other"],
    [{ inlineData: { mimeType: "image/png", data: "x" } }, "other"],
    [{ fileData: { fileUri: "x" } }, "other"],
    [{ somethingNew: 1 }, "other"],
  ])("never executes %j", (part, kind) => {
    expect(finished(parts(part))).toEqual([{ kind, content: null, raw: part }]);
  });

  test("counts what it does not know and ignores it", () => {
    const known = [message(""), message(" [DONE] "), message({ usageMetadata: null, responseId: "r" })];
    const unknown = [message("7"), message({}), message({ new: 1 }, "new"), message('"x"')];
    const { events, unknownEvents } = decode(...known, ...unknown);
    expect([events.map((event) => event.type), unknownEvents]).toEqual([["response_started"], 4]);
  });

  test.each([
    ["an object", { error: { code: 503, message: "over", status: "UNAVAILABLE" } }, "503", "over"],
    ["a text", { error: "over" }, null, "over"],
    ["a flat event", { type: "error", code: "c", message: "m" }, "c", "m"],
  ])("reads an error that is %s", (...[_name, data, code, text]) => {
    const read = [message(data), { ...message(data), bare: true }].map((one) => decode(one).events);
    const error = {
      type: "stream_error",
      wireType: "error",
      code,
      message: text,
      errorClass: "PROVIDER_ERROR",
    };
    expect(read).toEqual([[error], [error]]);
  });

  test.each([
    { candidates: {} },
    { candidates: ["x"] },
    { candidates: [{ content: { parts: {} } }] },
    { candidates: [{ content: { parts: ["x"] } }] },
  ])("calls %j malformed", (data) => {
    const errors = decode(message(data)).events.filter((event) => event.type === "stream_error");
    expect(errors.map(({ code }) => code)).toEqual(["malformed_frame"]);
  });

  test("is closed by no message", () => {
    expect(ADAPTERS.gemini.closesStream(message("[DONE]"))).toBe(false);
  });
});
