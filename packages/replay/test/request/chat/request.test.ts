import { expect, test } from "vitest";
import { gatewayOver } from "../../client.ts";
import { CASES, errorOf, send, type Json } from "../../families.ts";

const { path, request } = CASES.chat;
const [tool] = request["tools"] as readonly [Json];
const USER = { role: "user", content: "Go." };
const CALL = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
const CALLS = { role: "assistant", content: null, tool_calls: [CALL] };
const RESULT = { role: "tool", tool_call_id: "call_1", content: "ok" };

function withMessages(...messages: readonly Json[]): Json {
  return { messages: [USER, ...messages] };
}

function withFunction(overrides: Json): Json {
  return { tools: [{ type: "function", function: { ...(tool["function"] as Json), ...overrides } }] };
}

test.each<[string, Json, string, string]>([
  ["an unknown key", { input: "x" }, "input", "unknown parameter"],
  ["an old budget", { max_tokens: 10 }, "max_tokens", "unknown parameter"],
  ["a budget of nothing", { max_completion_tokens: 0 }, "max_completion_tokens", ">0"],
  ["several choices", { n: 2 }, "n", "expected 1"],
  ["five stop sequences", { stop: ["a", "b", "c", "d", "e"] }, "stop", "expected string"],
  [
    "stream options without a stream",
    { stream: false, stream_options: { include_usage: true } },
    "stream_options",
    "only allowed",
  ],
  ["no messages", { messages: [] }, "messages", ">=1"],
  ["an unknown role", withMessages({ role: "model", content: "x" }), "messages[1].role", "Invalid"],
  ["no content", { messages: [{ role: "user", content: "" }] }, "messages[0].content", ">=1"],
  ["an unknown key of a message", withMessages({ ...USER, text: "x" }), "messages[1].text", "unknown"],
  ["an assistant that says nothing", withMessages({ role: "assistant" }), "messages[1].content", "needs"],
  [
    "arguments as an object",
    withMessages({ ...CALLS, tool_calls: [{ ...CALL, function: { name: "f", arguments: {} } }] }),
    "messages[1].tool_calls[0].function.arguments",
    "string",
  ],
  [
    "arguments that are cut",
    withMessages({ ...CALLS, tool_calls: [{ ...CALL, function: { name: "f", arguments: '{"a' } }] }),
    "messages[1].tool_calls[0].function.arguments",
    "not JSON",
  ],
  [
    "a call without an id",
    withMessages({ ...CALLS, tool_calls: [{ ...CALL, id: "" }] }),
    "messages[1].tool_calls[0].id",
    ">=1",
  ],
  ["a call without a result", withMessages(CALLS), "messages", "call_1"],
  ["a result too late", withMessages(CALLS, USER, RESULT), "messages[2]", "followed by"],
  ["a result without a call", withMessages(RESULT), "messages[1].tool_call_id", "no open call"],
  ["two results", withMessages(CALLS, RESULT, RESULT), "messages[3].tool_call_id", "no open call"],
  [
    "two calls of one id",
    withMessages({ ...CALLS, tool_calls: [CALL, CALL] }, RESULT),
    "messages[1].tool_calls",
    "one id",
  ],
  ["a tool of the Responses family", { tools: [tool["function"]] }, "tools[0].type", "expected"],
  ["no tools in so many words", { tools: [] }, "tools", ">=1"],
  [
    "a choice without tools",
    { tools: undefined, parallel_tool_calls: true },
    "parallel_tool_calls",
    "only allowed with tools",
  ],
  ["a tool's bad name", withFunction({ name: "read file" }), "tools[0].function.name", "pattern"],
  ["two tools of one name", { tools: [tool, tool] }, "tools[1].function.name", "two tools"],
  [
    "a schema of no object",
    withFunction({ parameters: { type: "string" } }),
    "tools[0].function.parameters",
    "of type object",
  ],
])("%s is refused", async (_, overrides, field, reason) => {
  const gateway = await gatewayOver({ "case.1.sse": "x" });
  const error = await errorOf(await send(gateway, path, { body: { ...request, ...overrides } }));
  expect(error).toEqual({ status: 400, field, message: expect.stringContaining(reason) });
  expect(gateway.requests()).toEqual([]);
});

test("every parameter of a stateless client is accepted", async () => {
  const gateway = await gatewayOver({ "case.1.sse": "x" });
  const body = {
    ...request,
    messages: [{ role: "system", content: "Be brief." }, USER, { role: "user", content: "Now." }],
    tool_choice: { type: "function", function: { name: "read_file" } },
    parallel_tool_calls: false,
    max_completion_tokens: 4096,
    stop: ["END"],
    stream_options: { include_usage: true },
    store: false,
    reasoning_effort: "high",
    temperature: 0,
  };
  expect((await send(gateway, path, { body })).status).toBe(200);
});
