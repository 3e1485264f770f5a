import { describe, expect, test } from "vitest";
import type { JsonObject } from "@airlock/core/json";
import { ADAPTERS, type ConversationEntry, type EncodeInput } from "@airlock/core/wire";

const MINIMAL: EncodeInput = {
  model: "m",
  entries: [],
  tools: [],
  maxOutputTokens: null,
  stopSequences: [],
  parallelToolCalls: true,
  stream: true,
};
const TOOL = { name: "f", description: "does f", schemaText: '{"type":"object"}' };

function body(input: Partial<EncodeInput>): unknown {
  return JSON.parse(ADAPTERS.anthropic.encode({ ...MINIMAL, ...input }));
}

function output(attempt: string, ...items: JsonObject[]): ConversationEntry {
  return { type: "model_output", family: "anthropic", attempt, items };
}

function result(callId: string, content: string): ConversationEntry {
  return { type: "call_result", itemKey: `r.1.1.${callId}`, callId, argumentsKind: "json", content };
}

const ITEMS: JsonObject[] = [
  { type: "thinking", thinking: "So.", signature: "sealed" },
  { type: "text", text: "I will." },
  { type: "tool_use", id: "t1", name: "f", input: { b: 1, a: 2 }, caller: { type: "direct" } },
  { type: "tool_use", id: "t2", name: "click", input: {}, toolset_name: "browser" },
];

describe("the Messages request", () => {
  test("replays the whole conversation in order, results first", () => {
    const encoded = body({
      entries: [
        { type: "instructions", text: "Be brief." },
        { type: "user", text: "Fix it." },
        output("r.1.1", ...ITEMS),
        result("t1", "done"),
        { type: "correction", text: "Not yet." },
        result("t2", "denied"),
        output("r.2.1", { type: "text", text: "Ok." }),
      ],
      tools: [TOOL],
      maxOutputTokens: 500,
      stopSequences: ["END"],
      parallelToolCalls: false,
    });
    expect(encoded).toEqual({
      model: "m",
      max_tokens: 500,
      system: "Be brief.",
      messages: [
        { role: "user", content: [{ type: "text", text: "Fix it." }] },
        { role: "assistant", content: ITEMS },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: "done" },
            { type: "tool_result", tool_use_id: "t2", content: "denied", toolset_name: "browser" },
            { type: "text", text: "Not yet." },
          ],
        },
        { role: "assistant", content: [{ type: "text", text: "Ok." }] },
      ],
      tools: [{ name: "f", description: "does f", input_schema: { type: "object" } }],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      stop_sequences: ["END"],
      stream: true,
    });
  });

  test("leaves out what the run does not have, but for the budget that the API demands", () => {
    expect(body({})).toEqual({ model: "m", max_tokens: 8_192, messages: [], stream: true });
  });

  test("continues a paused turn in one message of the assistant", () => {
    const paused = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
    const rest = { type: "text", text: "Found." };
    expect(body({ entries: [output("r.1.1", paused), output("r.2.1", rest)] })).toMatchObject({
      messages: [{ role: "assistant", content: [paused, rest] }],
    });
  });

  test("sends a paused turn that nothing followed again as it came, the assistant's message last", () => {
    const paused = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
    const entries: ConversationEntry[] = [{ type: "user", text: "Look." }, output("r.1.1", paused)];
    expect(body({ entries })).toMatchObject({
      messages: [
        { role: "user", content: [{ type: "text", text: "Look." }] },
        { role: "assistant", content: [paused] },
      ],
    });
  });

  test("leaves out empty text, which the API refuses, and outputs of nothing else", () => {
    const empty = { type: "text", text: "" };
    expect(
      body({ entries: [output("r.1.1", empty), output("r.2.1", empty, { type: "text", text: "x" })] }),
    ).toMatchObject({
      messages: [{ role: "assistant", content: [{ type: "text", text: "x" }] }],
    });
  });

  test("says of a result that its call did not run", () => {
    const entry = { ...result("t1", "denied"), failed: true } as const;
    expect(body({ entries: [entry] })).toMatchObject({
      messages: [
        { content: [{ type: "tool_result", tool_use_id: "t1", content: "denied", is_error: true }] },
      ],
    });
  });

  test("holds each schema byte for byte", () => {
    const schemas = [
      '{"type" :\n "object","b":1,"a":1.0}',
      '{"description":"\\u00e4 ä \\/","type":"object"}',
    ];
    const text = ADAPTERS.anthropic.encode({
      ...MINIMAL,
      tools: schemas.map((schemaText, index) => ({ name: `t${index}`, description: '"quoted"', schemaText })),
    });
    expect(schemas.map((schema) => text.includes(`"input_schema":${schema}}`))).toEqual([true, true]);
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  test("lets the model choose how many calls it makes, unless the run says otherwise", () => {
    expect(body({ tools: [TOOL] })).not.toHaveProperty("tool_choice");
    expect(body({ parallelToolCalls: false })).not.toHaveProperty("tool_choice");
  });

  test("goes to one path with the version that the API asks for", () => {
    const { headers, supports } = ADAPTERS.anthropic;
    expect([ADAPTERS.anthropic.path("a/../b"), headers, supports]).toEqual([
      "/v1/messages",
      { "anthropic-version": "2023-06-01" },
      { stopSequences: true },
    ]);
  });
});
