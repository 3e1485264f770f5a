import { describe, expect, test } from "vitest";
import type { JsonObject } from "@airlock/core/json";
import { ADAPTERS } from "@airlock/core/wire";

type Row = readonly [
  type: string,
  fields: JsonObject,
  kind: string,
  name: string | null,
  content: string | null,
];

function refuses(content: JsonObject[]): boolean | undefined {
  return ADAPTERS.responses.readItem({ type: "message", content })?.refusal;
}

describe("an output item", () => {
  test.each<Row>([
    ["function_call", { name: "f", arguments: '{"a":1}' }, "tool_call", "f", '{"a":1}'],
    ["function_call", { name: "f", arguments: null }, "tool_call", "f", ""],
    ["function_call", { name: "" }, "tool_call", null, ""],
    ["custom_tool_call", { name: "sql", input: "SELECT" }, "tool_call", "sql", "SELECT"],
    [
      "local_shell_call",
      { name: "x", action: { command: ["ls"] } },
      "tool_call",
      "local_shell_call",
      '{"command":["ls"]}',
    ],
    ["shell_call", { action: { commands: [] } }, "tool_call", "shell_call", '{"commands":[]}'],
    ["shell_call", { action: {}, environment: { type: "local" } }, "tool_call", "shell_call", "{}"],
    ["shell_call", { action: {}, environment: { type: "container_auto" } }, "provider_executed", null, null],
    [
      "apply_patch_call",
      { operation: { type: "delete_file" } },
      "tool_call",
      "apply_patch_call",
      '{"type":"delete_file"}',
    ],
    [
      "computer_call",
      { action: { x: 1 }, pending_safety_checks: [] },
      "tool_call",
      "computer_call",
      '{"action":{"x":1},"pending_safety_checks":[]}',
    ],
    [
      "tool_search_call",
      { execution: "client", arguments: { goal: "g" } },
      "tool_call",
      "tool_search_call",
      '{"goal":"g"}',
    ],
    ["tool_search_call", { execution: "server", arguments: {} }, "provider_executed", null, null],
    ["mcp_approval_request", { name: "x", arguments: "{}" }, "approval_request", "x", "{}"],
    ["mcp_call", {}, "provider_executed", null, null],
    ["mcp_list_tools", {}, "provider_executed", null, null],
    ["web_search_call", {}, "provider_executed", null, null],
    ["file_search_call", {}, "provider_executed", null, null],
    ["code_interpreter_call", {}, "provider_executed", null, null],
    ["image_generation_call", {}, "provider_executed", null, null],
    ["program", {}, "provider_executed", null, null],
    ["program_output", {}, "other", null, null],
    ["reasoning", { summary: [] }, "reasoning", null, null],
    ["compaction", {}, "other", null, null],
    ["additional_tools", {}, "other", null, null],
    ["function_call_output", { output: "x" }, "other", null, null],
    ["constructor", {}, "other", null, null],
    ["new_tool_call", { name: "f", arguments: "{}" }, "other", null, null],
    [
      "message",
      {
        content: [
          { type: "output_text", text: "a" },
          { type: "refusal", refusal: "no" },
          { type: "output_text", text: "b" },
        ],
      },
      "message",
      null,
      "ab",
    ],
    ["message", {}, "message", null, ""],
  ])("%s %j is %s %s", (...[type, fields, kind, name, content]) => {
    const facts = ADAPTERS.responses.readItem({ type, id: "i", call_id: "c", ...fields });
    const acts = kind === "tool_call" || kind === "approval_request";
    expect(facts).toEqual({
      kind,
      name,
      content,
      callId: acts ? (kind === "tool_call" ? "c" : "i") : null,
      argumentsKind: acts ? (type === "custom_tool_call" ? "text" : "json") : null,
      status: null,
      refusal: false,
    });
  });

  test.each<JsonObject>([
    {},
    { type: 1 },
    { type: "function_call", arguments: {} },
    { type: "function_call", arguments: 1 },
    { type: "custom_tool_call", input: ["x"] },
  ])("is malformed as %j", (item) => {
    expect(ADAPTERS.responses.readItem(item)).toBeNull();
  });

  test("is a refusal only without any text", () => {
    const refusal = { type: "refusal", refusal: "no" };
    const text = { type: "output_text", text: "but" };
    expect([refuses([refusal]), refuses([refusal, text]), refuses([])]).toEqual([true, false, false]);
  });
});
