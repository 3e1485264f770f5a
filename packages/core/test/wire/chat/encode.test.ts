import { describe, expect, test } from "vitest";
import { ADAPTERS, type EncodeInput } from "@airlock/core/wire";

const MINIMAL: EncodeInput = {
  model: "m",
  entries: [],
  tools: [],
  maxOutputTokens: null,
  stopSequences: [],
  parallelToolCalls: true,
  stream: true,
};

function body(input: Partial<EncodeInput>): unknown {
  return JSON.parse(ADAPTERS.chat.encode({ ...MINIMAL, ...input }));
}

function assistant(content: string): object {
  return {
    role: "assistant",
    content: null,
    reasoning_content: "hm",
    tool_calls: [
      {
        id: "c1",
        type: "function",
        function: { name: "f", arguments: content },
        extra_content: { google: { thought_signature: "sig" } },
      },
    ],
  };
}

function output(...items: readonly object[]): EncodeInput["entries"][number] {
  return { type: "model_output", family: "chat", attempt: "r.1.1", items: JSON.parse(JSON.stringify(items)) };
}

describe("the Chat request", () => {
  test("replays the whole conversation in order, every message as it came", () => {
    const custom = { id: "c2", type: "custom", custom: { name: "sql", input: "SELECT {" } };
    const message = {
      role: "assistant",
      content: "so",
      refusal: "no",
      tool_calls: [custom],
      unknown: { b: 1, a: 2 },
    };
    const encoded = body({
      entries: [
        { type: "instructions", text: "Be brief." },
        { type: "user", text: "Fix it." },
        output(assistant('{"a": 1}')),
        { type: "call_result", itemKey: "r.1.1.0", callId: "c1", argumentsKind: "json", content: "done" },
        output(message),
        { type: "call_result", itemKey: "r.2.1.0", callId: "c2", argumentsKind: "text", content: "denied" },
        { type: "correction", text: "Not yet." },
      ],
      tools: [{ name: "f", description: "does f", schemaText: '{"type":"object"}' }],
      maxOutputTokens: 500,
      stopSequences: ["END"],
      parallelToolCalls: false,
    });
    expect(encoded).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Fix it." },
        assistant('{"a": 1}'),
        { role: "tool", tool_call_id: "c1", content: "done" },
        message,
        { role: "tool", tool_call_id: "c2", content: "denied" },
        { role: "user", content: "Not yet." },
      ],
      tools: [
        { type: "function", function: { name: "f", description: "does f", parameters: { type: "object" } } },
      ],
      parallel_tool_calls: false,
      max_completion_tokens: 500,
      stop: ["END"],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test("leaves out what the run does not have", () => {
    expect(body({})).toEqual({
      model: "m",
      messages: [],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test.each([
    ['{"a": 1}', '{"a": 1}'],
    ['{"a":1,"a":2}', '{"a":1,"a":2}'],
    ["[]", "[]"],
    ['{"a":', "{}"],
    ['{"a":1}{"a":2}', "{}"],
    ['{"a":"C:\\Users"}', "{}"],
    ["```{}```", "{}"],
    ["", "{}"],
    [" \n", "{}"],
  ])("repeats a call with the arguments %j as %j", (content, carried) => {
    expect(body({ entries: [output(assistant(content))] })).toMatchObject({ messages: [assistant(carried)] });
  });

  test("holds each schema byte for byte", () => {
    const schemas = [
      '{"type" :\n "object","b":1,"a":1.0}',
      '{"description":"\\u00e4 ä \\/","type":"object"}',
    ];
    const text = ADAPTERS.chat.encode({
      ...MINIMAL,
      tools: schemas.map((schemaText, index) => ({ name: `t${index}`, description: '"quoted"', schemaText })),
    });
    expect(schemas.map((schema) => text.includes(`"parameters":${schema}}}`))).toEqual([true, true]);
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  test("can carry stop sequences, and goes to one path", () => {
    expect([ADAPTERS.chat.supports, ADAPTERS.chat.path("a/../b")]).toEqual([
      { stopSequences: true },
      "/v1/chat/completions",
    ]);
  });
});
