import { describe, expect, test } from "vitest";
import { AirlockError } from "@airlock/core/fault";
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

function body(input: Partial<EncodeInput>): unknown {
  return JSON.parse(ADAPTERS.gemini.encode({ ...MINIMAL, ...input }));
}

function output(attempt: string, ...items: JsonObject[]): ConversationEntry {
  return { type: "model_output", family: "gemini", attempt, items };
}

function result(itemKey: string, callId: string, content: string): ConversationEntry {
  return { type: "call_result", itemKey, callId, argumentsKind: "json", content };
}

const PARTS: JsonObject[] = [
  { text: "So.", thought: true },
  { functionCall: { name: "f", args: { b: 1, a: 2 } }, thoughtSignature: "s" },
  { functionCall: { id: "c2", name: "g", args: {} } },
];

describe("the Gemini request", () => {
  test("replays the whole conversation in order, with one content for all results of a turn", () => {
    const encoded = body({
      entries: [
        { type: "instructions", text: "Be brief." },
        { type: "user", text: "Fix it." },
        output("r.1.1", ...PARTS),
        result("r.1.1.1", "", "done"),
        result("r.1.1.2", "c2", "denied"),
        { type: "correction", text: "Not yet." },
        output("r.2.1", { text: "", thoughtSignature: "t" }),
      ],
      tools: [{ name: "f", description: "does f", schemaText: '{"type":"object"}' }],
      maxOutputTokens: 500,
      stopSequences: ["END"],
    });
    expect(encoded).toEqual({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        { role: "user", parts: [{ text: "Fix it." }] },
        { role: "model", parts: PARTS },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "f", response: { output: "done" } } },
            { functionResponse: { id: "c2", name: "g", response: { output: "denied" } } },
          ],
        },
        { role: "user", parts: [{ text: "Not yet." }] },
        { role: "model", parts: [{ text: "", thoughtSignature: "t" }] },
      ],
      tools: [
        {
          functionDeclarations: [
            { name: "f", description: "does f", parametersJsonSchema: { type: "object" } },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: "AUTO" } },
      generationConfig: { maxOutputTokens: 500, stopSequences: ["END"] },
    });
  });

  test("leaves out what the run does not have", () => {
    expect(body({})).toEqual({ contents: [] });
  });

  test("leaves out empty text without a signature, which the API refuses, and outputs of nothing else", () => {
    const entries = [output("r.1.1", { text: "" }), output("r.2.1", { text: "x" }, { text: "" })];
    expect(body({ entries })).toEqual({ contents: [{ role: "model", parts: [{ text: "x" }] }] });
  });

  test("says of a result that its call did not run", () => {
    const failed = { ...result("r.1.1.1", "", "denied"), failed: true } as const;
    expect(body({ entries: [output("r.1.1", ...PARTS), failed] })).toMatchObject({
      contents: [{}, { parts: [{ functionResponse: { name: "f", response: { error: "denied" } } }] }],
    });
  });

  test.each([
    ["of another attempt", result("r.1.2.1", "", "x")],
    ["of another part", result("r.1.1.0", "", "x")],
    ["under another id", result("r.1.1.2", "c1", "x")],
  ])("refuses a result %s", (_name, entry) => {
    expect(() => body({ entries: [output("r.1.1", ...PARTS), entry] })).toThrow(AirlockError);
  });

  test("holds each schema byte for byte", () => {
    const schemas = [
      '{"type" :\n "object","b":1,"a":1.0}',
      '{"description":"\\u00e4 ä \\/","type":"object"}',
    ];
    const text = ADAPTERS.gemini.encode({
      ...MINIMAL,
      tools: schemas.map((schemaText, index) => ({ name: `t${index}`, description: '"quoted"', schemaText })),
    });
    expect(schemas.map((schema) => text.includes(`"parametersJsonSchema":${schema}}`))).toEqual([true, true]);
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  test.each([
    ["gemini-3-pro", "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"],
    ["models/gemini-3-pro", "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"],
    ["../files?x#", "/v1beta/models/..%2Ffiles%3Fx%23:streamGenerateContent?alt=sse"],
  ])("goes to the path of the model %s", (model, path) => {
    expect(ADAPTERS.gemini.path(model)).toBe(path);
  });

  test("goes to another operator of the model for a response in one piece", () => {
    const adapter: { path(model: string, mode?: "buffered"): string } = ADAPTERS.gemini;
    expect(adapter.path("m", "buffered")).toBe("/v1beta/models/m:generateContent");
  });
});
