import { describe, expect, test } from "vitest";
import { conversationEntrySchema, type ConversationEntry } from "@airlock/core/wire";

describe("a conversation entry", () => {
  test.each<ConversationEntry>([
    { type: "instructions", text: "" },
    { type: "user", text: "hi" },
    {
      type: "model_output",
      family: "responses",
      attempt: "r.1.1",
      items: [{ type: "message", z: 1, a: [null] }],
    },
    { type: "call_result", itemKey: "r.1.1.0", callId: "c", argumentsKind: "text", content: "" },
    {
      type: "call_result",
      itemKey: "r.1.1.0",
      callId: "",
      argumentsKind: "json",
      content: "x",
      failed: true,
    },
    { type: "correction", text: "no" },
  ])("is read as it was written: $type", (entry) => {
    expect(JSON.stringify(conversationEntrySchema.parse(entry))).toBe(JSON.stringify(entry));
  });

  test.each([
    ["an unknown type", { type: "system", text: "x" }],
    ["an unknown field", { type: "user", text: "x", role: "user" }],
    ["an unknown family", { type: "model_output", family: "smoke", attempt: "a", items: [] }],
    ["an item that is no object", { type: "model_output", family: "responses", attempt: "a", items: ["x"] }],
    [
      "a result for no call",
      { type: "call_result", itemKey: "", callId: "", argumentsKind: "json", content: "" },
    ],
  ])("is refused with %s", (_name, entry) => {
    expect(conversationEntrySchema.safeParse(entry).success).toBe(false);
  });
});
