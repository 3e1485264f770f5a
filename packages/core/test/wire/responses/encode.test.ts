import { describe, expect, test } from "vitest";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { AirlockError } from "@airlock/core/fault";
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
  return JSON.parse(ADAPTERS.responses.encode({ ...MINIMAL, ...input }));
}

function say(text: string): object {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
}

function encodeWithStop(): string {
  return ADAPTERS.responses.encode({ ...MINIMAL, stopSequences: ["END"] });
}

/** What a request answers a quarantined call of a built-in tool with; the client's own type holds its form. */
const SET_ASIDE: readonly (readonly [object, ResponseInputItem])[] = [
  [
    { type: "shell_call", call_id: "c" },
    {
      type: "shell_call_output",
      call_id: "c",
      output: [{ stdout: "", stderr: "not run", outcome: { type: "exit", exit_code: 1 } }],
    },
  ],
  [
    { type: "local_shell_call", id: "l", call_id: "c" },
    { type: "local_shell_call_output", id: "c", output: "not run" },
  ],
  [
    { type: "apply_patch_call", call_id: "c" },
    { type: "apply_patch_call_output", call_id: "c", status: "failed", output: "not run" },
  ],
  [
    { type: "computer_call", call_id: "c" },
    {
      type: "computer_call_output",
      call_id: "c",
      status: "incomplete",
      output: { type: "computer_screenshot" },
    },
  ],
  [
    { type: "tool_search_call", call_id: "c", execution: "client" },
    { type: "tool_search_output", call_id: "c", execution: "client", status: "completed", tools: [] },
  ],
];

describe("the Responses request", () => {
  test.each(SET_ASIDE)("answers %j in its own form", (item, expected) => {
    const output = { type: "model_output", family: "responses", attempt: "r.1.1" } as const;
    const result = { type: "call_result", itemKey: "r.1.1.0", callId: "c", argumentsKind: "json" } as const;
    const entries = [
      { ...output, items: [{ ...item }] },
      { ...result, content: "not run", failed: true },
    ];
    expect(body({ entries })).toMatchObject({ input: [item, expected] });
  });

  test("replays the whole conversation in order", () => {
    const items = [
      {
        type: "reasoning",
        id: "rs",
        encrypted_content: "sealed",
        summary: [],
        unknown_field: { b: 1, a: 2 },
      },
      { type: "function_call", id: "fc", call_id: "c1", name: "f", arguments: '{"a": 1}' },
      {
        type: "custom_tool_call",
        call_id: "c2",
        name: "g",
        input: "x",
        caller: { type: "program", caller_id: "p" },
      },
    ];
    const encoded = body({
      entries: [
        { type: "instructions", text: "Be brief." },
        { type: "user", text: "Fix it." },
        { type: "model_output", family: "responses", attempt: "r.1.1", items },
        { type: "call_result", itemKey: "r.1.1.1", callId: "c1", argumentsKind: "json", content: "done" },
        { type: "call_result", itemKey: "r.1.1.2", callId: "c2", argumentsKind: "text", content: "denied" },
        { type: "correction", text: "Not yet." },
      ],
      tools: [{ name: "f", description: "does f", schemaText: '{"type":"object"}' }],
      maxOutputTokens: 500,
      parallelToolCalls: false,
    });
    expect(encoded).toEqual({
      model: "m",
      instructions: "Be brief.",
      input: [
        say("Fix it."),
        ...items,
        { type: "function_call_output", call_id: "c1", output: "done" },
        {
          type: "custom_tool_call_output",
          call_id: "c2",
          output: "denied",
          caller: { type: "program", caller_id: "p" },
        },
        say("Not yet."),
      ],
      tools: [
        { type: "function", name: "f", description: "does f", parameters: { type: "object" }, strict: false },
      ],
      parallel_tool_calls: false,
      max_output_tokens: 500,
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
    });
  });

  test.each([
    ['{"a":', "{}"],
    ["", "{}"],
    ['{"a":1}{"a":2}', "{}"],
    ['{"a":1,"a":2}', '{"a":1,"a":2}'],
    ["[1]", "[1]"],
  ])("repeats a call with the arguments %j as %j", (content, carried) => {
    const item = { type: "function_call", call_id: "c1", name: "f", arguments: content, status: "completed" };
    const entries = [{ type: "model_output", family: "responses", attempt: "r.1.1", items: [item] }] as const;
    expect(body({ entries })).toMatchObject({ input: [{ ...item, arguments: carried }] });
  });

  test("leaves out what the run does not have", () => {
    expect(body({})).toEqual({
      model: "m",
      input: [],
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
    });
  });

  test("holds each schema byte for byte", () => {
    const schemas = [
      '{"type" :\n "object","b":1,"a":1.0}',
      '{"description":"\\u00e4 ä \\/","type":"object"}',
    ];
    const text = ADAPTERS.responses.encode({
      ...MINIMAL,
      tools: schemas.map((schemaText, index) => ({ name: `t${index}`, description: '"quoted"', schemaText })),
    });
    expect(schemas.map((schema) => text.includes(`"parameters":${schema},"strict"`))).toEqual([true, true]);
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  test("joins several instructions", () => {
    const entries = ["a", "b"].map((text) => ({ type: "instructions", text }) as const);
    expect(body({ entries })).toMatchObject({ instructions: "a\n\nb" });
  });

  test("can't carry stop sequences, and says so before and when it is asked", () => {
    expect(ADAPTERS.responses.supports).toEqual({ stopSequences: false });
    expect(encodeWithStop).toThrow(AirlockError);
    expect(encodeWithStop).toThrow("remove stopSequences");
  });

  test("goes to one path, whatever the model is called", () => {
    expect(ADAPTERS.responses.path("a/../b")).toBe("/v1/responses");
  });

  test("answers a hosted tool's request in the form of the family, beside the results of calls", () => {
    const request = {
      type: "mcp_approval_request",
      id: "mcpr_1",
      server_label: "shop",
      name: "refund",
      arguments: "{}",
    } as const satisfies ResponseInputItem;
    const entries = [
      { type: "model_output", family: "responses", attempt: "r.1.1", items: [request] },
      { type: "hosted_answer", itemKey: "r.1.1.0", requestId: "mcpr_1", approve: false },
    ] as const;
    const response: ResponseInputItem = {
      type: "mcp_approval_response",
      approval_request_id: "mcpr_1",
      approve: false,
    };
    expect(body({ entries })).toMatchObject({ input: [request, response] });
  });

  test.each(["chat", "anthropic", "gemini"] as const)("is refused such an answer by %s", (family) => {
    const entries = [{ type: "hosted_answer", itemKey: "r.1.1.0", requestId: "q", approve: true }] as const;
    expect(() => ADAPTERS[family].encode({ ...MINIMAL, entries })).toThrow(AirlockError);
  });
});
