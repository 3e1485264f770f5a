import { describe, expect, test } from "vitest";
import {
  answer,
  body,
  call,
  gatewayOver,
  HEADERS,
  post,
  reasoning,
  refusalOf,
  result,
  sse,
  USER,
} from "../../client.ts";

const TOOL = {
  type: "function",
  name: "read_file",
  description: "Reads.",
  parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
  strict: false,
};

function withSchema(parameters: object, strict: boolean): { readonly tools: readonly object[] } {
  return { tools: [{ ...TOOL, parameters: { ...TOOL.parameters, ...parameters }, strict }] };
}

const REQUEST = {
  type: "mcp_approval_request",
  id: "mcpr_1",
  server_label: "shop",
  name: "refund",
  arguments: "{}",
};
const ANSWER = { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true };
const CUSTOM_CALL = { type: "custom_tool_call", call_id: "call_a", name: "shell", input: "ls" };

describe("a wrong body is answered with 400, the field and the reason", () => {
  test.each([
    ["text that is not JSON", "{", { param: "", reason: "not JSON" }],
    ["a body that is no object", "[]", { param: "", reason: "expected object" }],
    ["an unknown key", body({ stop: ["x"] }), { param: "stop", reason: "unknown parameter: stop" }],
    [
      "stored state",
      body({ previous_response_id: "resp_1" }),
      { param: "previous_response_id", reason: "unknown parameter" },
    ],
    ["a stream of neither kind", body({ stream: 1 }), { param: "stream", reason: "expected boolean" }],
    ["no model", body({ model: "" }), { param: "model", reason: ">=1" }],
    ["a budget of nothing", body({ max_output_tokens: 0 }), { param: "max_output_tokens", reason: ">0" }],
    ["half a token", body({ max_output_tokens: 1.5 }), { param: "max_output_tokens", reason: "int" }],
    ["no input", body({ input: [] }), { param: "input", reason: ">=1" }],
    [
      "an unknown kind of item",
      body({ input: [{ type: "tool_result" }] }),
      { param: "input[0].type", reason: "Invalid" },
    ],
    [
      "an unknown role",
      body({ input: [{ role: "tool", content: "x" }] }),
      { param: "input[0].role", reason: "Invalid" },
    ],
    [
      "an unknown key of an item",
      body({ input: [{ ...USER, name: "x" }] }),
      { param: "input[0].name", reason: "unknown parameter" },
    ],
    [
      "a made-up assistant",
      body({ input: [{ ...USER, role: "assistant" }] }),
      { param: "input[0].id", reason: "string" },
    ],
    [
      "a call without call_id",
      body({ input: [call("a", { call_id: undefined })] }),
      { param: "input[0].call_id", reason: "string" },
    ],
    [
      "a call without a name",
      body({ input: [call("a", { name: undefined })] }),
      { param: "input[0].name", reason: "string" },
    ],
    [
      "arguments as an object",
      body({ input: [call("a", { arguments: {} })] }),
      { param: "input[0].arguments", reason: "string" },
    ],
    [
      "a result that is no text",
      body({ input: [result("a", { output: 1 })] }),
      { param: "input[0].output", reason: "string" },
    ],
    [
      "a call without a result",
      body({ input: [call("a")] }),
      { param: "input", reason: "no tool output found for function_call call_a" },
    ],
    [
      "a hosted tool's request without an answer",
      body({ input: [REQUEST] }),
      { param: "input", reason: "no answer found for the approval request mcpr_1" },
    ],
    [
      "a second answer to one request",
      body({ input: [REQUEST, ANSWER, ANSWER] }),
      { param: "input[2].approval_request_id", reason: "no open request before this answer" },
    ],
    [
      "a result without a call",
      body({ input: [result("a")] }),
      { param: "input[0].call_id", reason: "no open call" },
    ],
    [
      "a result before its call",
      body({ input: [result("a"), call("a")] }),
      { param: "input[0].call_id", reason: "no open call" },
    ],
    [
      "two results",
      body({ input: [call("a"), result("a"), result("a")] }),
      { param: "input[2].call_id", reason: "no open call" },
    ],
    [
      "two calls of one id",
      body({ input: [call("a"), call("a")] }),
      { param: "input[1].call_id", reason: "two calls" },
    ],
    [
      "a result of another kind",
      body({ input: [CUSTOM_CALL, result("a")] }),
      { param: "input[1].call_id", reason: "is answered by" },
    ],
    [
      "reasoning without an id",
      body({ input: [{ type: "reasoning", summary: [] }] }),
      { param: "input[0].id", reason: "string" },
    ],
    [
      "a hosted tool",
      body({ tools: [{ type: "web_search" }] }),
      { param: "tools[0].type", reason: "Invalid" },
    ],
    [
      "a tool of the chat family",
      body({ tools: [{ type: "function", function: TOOL }] }),
      { param: "tools[0].name", reason: "string" },
    ],
    [
      "a tool's bad name",
      body({ tools: [{ ...TOOL, name: "read file" }] }),
      { param: "tools[0].name", reason: "pattern" },
    ],
    [
      "strictness unsaid",
      body({ tools: [{ ...TOOL, strict: undefined }] }),
      { param: "tools[0].strict", reason: "boolean" },
    ],
    [
      "two tools of one name",
      body({ tools: [TOOL, TOOL] }),
      { param: "tools[1].name", reason: "two tools are named read_file" },
    ],
    [
      "a schema of no object",
      body(withSchema({ type: "string" }, false)),
      { param: "tools[0].parameters", reason: "of type object" },
    ],
    [
      "a strict open schema",
      body(withSchema({ additionalProperties: true }, true)),
      { param: "tools[0].parameters", reason: "root" },
    ],
    [
      "a strict schema with an optional property",
      body(withSchema({ properties: { depth: { type: "integer" } } }, true)),
      { param: "tools[0].parameters", reason: "depth is not" },
    ],
    [
      "a strict schema with an open object inside",
      body(withSchema({ properties: { a: { items: { type: "object" } } }, required: ["a"] }, true)),
      { param: "tools[0].parameters", reason: "at a" },
    ],
  ])("%s", async (_, content, { param, reason }) => {
    const gateway = await gatewayOver({ "case.1.sse": sse(answer("1")) });
    const response = await post(gateway, content);
    expect(await refusalOf(response)).toEqual({
      status: 400,
      message: expect.stringMatching(/ \(request id: replay-1\)$/u),
      type: "comet_api_error",
      param,
      code: "invalid_request",
    });
    expect(gateway.requests()).toEqual([]);
    const again = await refusalOf(await post(gateway, content));
    expect(again["message"]).toContain(reason);
  });

  test("bytes that are not UTF-8", async () => {
    const gateway = await gatewayOver({ "case.1.sse": sse() });
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: HEADERS,
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });
    expect(await refusalOf(response)).toMatchObject({ status: 400, code: "invalid_request" });
  });
});

describe("headers", () => {
  const { authorization, ...anonymous } = HEADERS;
  test.each([
    ["no key", anonymous, { status: 401, code: "invalid_api_key", param: "Authorization" }],
    [
      "an empty key",
      { ...HEADERS, authorization: "Bearer " },
      { status: 401, code: "invalid_api_key", param: "Authorization" },
    ],
    [
      "another scheme",
      { ...HEADERS, authorization: "Basic abc" },
      { status: 401, code: "invalid_api_key", param: "Authorization" },
    ],
    [
      "a body that isn't JSON",
      { ...HEADERS, "content-type": "text/plain" },
      { status: 400, code: "invalid_request", param: "Content-Type" },
    ],
    [
      "an encoding",
      { ...HEADERS, "accept-encoding": "gzip" },
      { status: 400, code: "invalid_request", param: "Accept-Encoding" },
    ],
    [
      "no word on encodings",
      { authorization, "content-type": "application/json" },
      { status: 400, code: "invalid_request", param: "Accept-Encoding" },
    ],
  ])("%s is refused", async (_, headers, refusal) => {
    const gateway = await gatewayOver({ "case.1.sse": sse() });
    expect(await refusalOf(await post(gateway, body(), { headers }))).toMatchObject(refusal);
  });

  test("with a list of keys, another key is refused and one of them is accepted", async () => {
    const gateway = await gatewayOver({ "case.1.sse": sse() }, { apiKeys: ["k1", "k2"] });
    expect(await refusalOf(await post(gateway, body()))).toMatchObject({
      status: 401,
      code: "invalid_api_key",
    });
    const response = await post(gateway, body(), { headers: { ...HEADERS, authorization: "Bearer k2" } });
    expect(response.status).toBe(200);
  });
});

describe("a right body is accepted", () => {
  test.each([
    ["text as input", { input: "Fix it." }],
    [
      "a message without its type",
      { input: [{ role: "developer", content: [{ type: "input_text", text: "x" }] }] },
    ],
    [
      "function and custom tools",
      { tools: [TOOL, { type: "custom", name: "shell", format: { type: "text" } }] },
    ],
    [
      "a strict tool",
      { tools: [{ ...TOOL, strict: true }], tool_choice: { type: "function", name: "read_file" } },
    ],
    [
      "every parameter of a stateless client",
      {
        instructions: "Be brief.",
        parallel_tool_calls: false,
        max_output_tokens: 4096,
        store: false,
        include: ["reasoning.encrypted_content"],
        reasoning: { effort: "high" },
        metadata: { run: "r1" },
      },
    ],
  ])("%s", async (_, overrides) => {
    const gateway = await gatewayOver({ "case.1.sse": sse(answer("1")) });
    const response = await post(gateway, body(overrides));
    expect({ status: response.status, text: await response.text() }).toEqual({
      status: 200,
      text: sse(answer("1")),
    });
  });

  test("a conversation with reasoning, parallel calls of both kinds and their results", async () => {
    const items = [reasoning("1"), call("a"), { ...CUSTOM_CALL, call_id: "call_b" }];
    const gateway = await gatewayOver({ "case.1.sse": sse(...items), "case.2.sse": sse(answer("2")) });
    const results = [{ type: "custom_tool_call_output", call_id: "call_b", output: "ok" }, result("a")];
    const response = await post(gateway, body({ input: [USER, ...items, ...results] }));
    expect(await response.text()).toBe(sse(answer("2")));
  });
});
