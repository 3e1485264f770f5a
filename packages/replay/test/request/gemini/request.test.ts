import { expect, test } from "vitest";
import { gatewayOver } from "../../client.ts";
import { CASES, errorOf, send, type Json } from "../../families.ts";

const { path, buffered, request } = CASES.gemini;
const [{ functionDeclarations }] = request["tools"] as readonly [{ functionDeclarations: readonly [Json] }];
const [declaration] = functionDeclarations;
const USER = { role: "user", parts: [{ text: "Go." }] };
const CALL = { functionCall: { id: "c1", name: "f", args: {} } };
const RESPONSE = { functionResponse: { id: "c1", name: "f", response: {} } };

function model(...parts: readonly Json[]): Json {
  return { role: "model", parts };
}

function user(...parts: readonly Json[]): Json {
  return { role: "user", parts };
}

function withContents(...contents: readonly Json[]): Json {
  return { contents: [USER, ...contents] };
}

function withDeclaration(overrides: Json): Json {
  return { tools: [{ functionDeclarations: [{ ...declaration, ...overrides }] }] };
}

const STREAMED = { functionCallingConfig: { mode: "AUTO", streamFunctionCallArguments: true } };

test.each<[string, Json, string, string]>([
  ["an unknown key", { model: "x" }, "model", "unknown parameter"],
  ["another spelling", { system_instruction: {} }, "system_instruction", "unknown parameter"],
  [
    "a budget of nothing",
    { generationConfig: { maxOutputTokens: 0 } },
    "generationConfig.maxOutputTokens",
    ">0",
  ],
  [
    "six stop sequences",
    { generationConfig: { stopSequences: ["a", "b", "c", "d", "e", "f"] } },
    "generationConfig.stopSequences",
    "<=5",
  ],
  ["no contents", { contents: [] }, "contents", ">=1"],
  ["another role", withContents({ role: "assistant", parts: [] }), "contents[1].role", "Invalid"],
  ["a model at first", { contents: [model({ text: "x" })] }, "contents[0].role", "first content"],
  ["an empty text", withContents(user({ text: "" })), "contents[1].parts[0].text", ">=1"],
  ["an empty text of the model's", withContents(model({ text: "" })), "contents[1].parts[0]", "exactly one"],
  [
    "a part of two things",
    withContents(model({ text: "x", ...CALL })),
    "contents[1].parts[0]",
    "exactly one",
  ],
  [
    "arguments as text",
    withContents(model({ functionCall: { name: "f", args: "{}" } })),
    "contents[1].parts[0].functionCall.args",
    "expected record",
  ],
  [
    "fragments of arguments",
    withContents(model({ functionCall: { name: "f", willContinue: true } })),
    "contents[1].parts[0].functionCall.willContinue",
    "unknown parameter",
  ],
  ["a call without a response", withContents(model(CALL)), "contents", "no functionResponse for f"],
  ["a response without a call", withContents(user(RESPONSE)), "contents[1].parts", "one for each"],
  [
    "a response of another name",
    withContents(model(CALL), user({ functionResponse: { id: "c1", name: "g", response: {} } })),
    "contents[2].parts",
    "one for each",
  ],
  ["two responses", withContents(model(CALL), user(RESPONSE, RESPONSE)), "contents[2].parts", "one for each"],
  [
    "a response as text",
    withContents(user({ functionResponse: { name: "f", response: "x" } })),
    "contents[1].parts[0].functionResponse.response",
    "expected record",
  ],
  ["a hosted tool", { tools: [{ googleSearch: {} }] }, "tools[0].functionDeclarations", "array"],
  ["a tool's bad name", withDeclaration({ name: "1" }), "tools[0].functionDeclarations[0].name", "pattern"],
  [
    "a schema in the other language",
    withDeclaration({ parameters: {} }),
    "tools[0].functionDeclarations[0].parameters",
    "unknown parameter",
  ],
  [
    "a schema of no object",
    withDeclaration({ parametersJsonSchema: { type: "string" } }),
    "tools[0].functionDeclarations[0].parametersJsonSchema",
    "of type object",
  ],
  ["a config without tools", { tools: undefined, toolConfig: STREAMED }, "toolConfig", "only allowed"],
])("%s is refused", async (_, overrides, field, reason) => {
  const gateway = await gatewayOver({ "case.1.sse": "x" });
  const error = await errorOf(await send(gateway, path, { body: { ...request, ...overrides } }));
  expect(error).toEqual({ status: 400, field, message: expect.stringContaining(reason) });
  expect(gateway.requests()).toEqual([]);
});

test.each([
  ["a stream that is not asked for as events", path.replace("?alt=sse", ""), {}, "alt"],
  ["a model that is not encoded", path.replace("%2F", "%zz"), {}, "model"],
  [
    "streamed arguments of one body",
    buffered,
    { toolConfig: STREAMED },
    "toolConfig.functionCallingConfig.streamFunctionCallArguments",
  ],
])("%s is refused", async (_, place, overrides, field) => {
  const gateway = await gatewayOver({ "case.1.sse": "x", "case.1.body.json": "{}" });
  const error = await errorOf(await send(gateway, place, { body: { ...request, ...overrides } }));
  expect(error).toMatchObject({ status: 400, field });
});

test("every parameter of a client that runs its own tools is accepted", async () => {
  const gateway = await gatewayOver({ "case.1.sse": "x" });
  const body = {
    ...request,
    systemInstruction: { parts: [{ text: "Be brief." }] },
    toolConfig: STREAMED,
    generationConfig: { maxOutputTokens: 4096, stopSequences: ["END"], temperature: 0 },
  };
  expect((await send(gateway, path, { body })).status).toBe(200);
});

test("calls without ids are answered by name", async () => {
  const stream = `data: ${JSON.stringify({
    candidates: [{ content: { parts: [{ functionCall: { name: "f" } }] }, finishReason: "STOP" }],
  })}\n\n`;
  const gateway = await gatewayOver({ "case.1.sse": stream, "case.2.sse": "x" });
  const response = { functionResponse: { name: "f", response: { output: "" } } };
  const body = { contents: [USER, model({ functionCall: { name: "f" } }), user(response)] };
  expect((await send(gateway, path, { body })).status).toBe(200);
});
