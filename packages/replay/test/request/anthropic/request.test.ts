import { expect, test } from "vitest";
import { gatewayOver } from "../../client.ts";
import { CASES, errorOf, send, type Json } from "../../families.ts";

const { path, request, headers } = CASES.anthropic;
const [tool] = request["tools"] as readonly [Json];
const USER = { role: "user", content: "Go." };
const CALL = { type: "tool_use", id: "toolu_1", name: "f", input: {} };
const RESULT = { type: "tool_result", tool_use_id: "toolu_1", content: "ok" };
const TEXT = { type: "text", text: "x" };

function assistant(...content: readonly Json[]): Json {
  return { role: "assistant", content };
}

function user(...content: readonly Json[]): Json {
  return { role: "user", content };
}

function withMessages(...messages: readonly Json[]): Json {
  return { messages: [USER, ...messages] };
}

test.each<[string, Json, string, string]>([
  ["an unknown key", { store: false }, "store", "unknown parameter"],
  ["no budget", { max_tokens: undefined }, "max_tokens", "number"],
  ["a budget of nothing", { max_tokens: 0 }, "max_tokens", ">0"],
  [
    "more thought than budget",
    { thinking: { type: "enabled", budget_tokens: 4096 } },
    "thinking.budget_tokens",
    "less than max_tokens",
  ],
  ["no messages", { messages: [] }, "messages", ">=1"],
  ["a system message", withMessages({ role: "system", content: "x" }), "messages[1].role", "Invalid"],
  ["an assistant at first", { messages: [assistant(TEXT)] }, "messages[0].role", "first message"],
  ["an empty text", withMessages(user({ ...TEXT, text: " " })), "messages[1].content[0].text", "hold text"],
  [
    "a made-up assistant",
    withMessages({ role: "assistant", content: "Sure." }),
    "messages[1].content",
    "expected array",
  ],
  [
    "thoughts without a signature",
    withMessages(assistant({ type: "thinking", thinking: "x", signature: "" })),
    "messages[1].content[0].signature",
    ">=1",
  ],
  [
    "input as text",
    withMessages(assistant({ ...CALL, input: "{}" })),
    "messages[1].content[0].input",
    "expected record",
  ],
  ["an unknown block", withMessages(assistant({ type: "image" })), "messages[1].content[0].type", "Invalid"],
  [
    "an unknown key of a block",
    withMessages(user({ ...TEXT, id: "x" })),
    "messages[1].content[0].id",
    "unknown parameter",
  ],
  ["a call without a result", withMessages(assistant(CALL)), "messages", "no tool_result for toolu_1"],
  [
    "a call that is passed over",
    withMessages(assistant(CALL), user(TEXT)),
    "messages[2].content",
    "no tool_result for toolu_1",
  ],
  ["a result without a call", withMessages(user(RESULT)), "messages[1].content", "no call"],
  [
    "a result after a text",
    withMessages(assistant(CALL), user(TEXT, RESULT)),
    "messages[2].content",
    "come first",
  ],
  [
    "two results",
    withMessages(assistant(CALL), user(RESULT, RESULT)),
    "messages[2].content",
    "two results answer one call",
  ],
  ["two calls of one id", withMessages(assistant(CALL, CALL)), "messages[1].content", "one id"],
  ["a hosted tool", { tools: [{ ...tool, type: "web_search_20250305" }] }, "tools[0].type", "expected"],
  ["a tool's bad name", { tools: [{ ...tool, name: "read file" }] }, "tools[0].name", "pattern"],
  ["two tools of one name", { tools: [tool, tool] }, "tools[1].name", "two tools"],
  [
    "a schema of no object",
    { tools: [{ ...tool, input_schema: { type: "string" } }] },
    "tools[0].input_schema.type",
    "expected",
  ],
  ["a choice without tools", { tools: undefined, tool_choice: { type: "auto" } }, "tool_choice", "only"],
])("%s is refused", async (_, overrides, field, reason) => {
  const gateway = await gatewayOver({ "case.1.sse": "x" });
  const body = { ...request, ...overrides };
  const error = await errorOf(await send(gateway, path, { headers, body }));
  expect(error).toEqual({ status: 400, field, message: expect.stringContaining(reason) });
  expect(gateway.requests()).toEqual([]);
});

test("every parameter of a client that runs its own tools is accepted", async () => {
  const gateway = await gatewayOver({ "case.1.sse": "x" });
  const body = {
    ...request,
    system: "Be brief.",
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
    stop_sequences: ["END"],
    thinking: { type: "enabled", budget_tokens: 1024 },
    temperature: 1,
  };
  expect((await send(gateway, path, { headers, body })).status).toBe(200);
});
