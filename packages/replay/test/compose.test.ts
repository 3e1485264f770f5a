import { FAMILIES } from "@airlock/core/wire";
import { composeBody, composeStream, type ComposedTurn } from "@airlock/replay";
import { describe, expect, test } from "vitest";
import {
  anthropicBodyOutput,
  anthropicStreamOutput,
  chatBodyOutput,
  chatStreamOutput,
  geminiBodyOutput,
  geminiStreamOutput,
  responsesBodyOutput,
  responsesStreamOutput,
} from "../src/recorded/index.ts";

const OUTPUTS = {
  responses: { stream: responsesStreamOutput, body: responsesBodyOutput },
  chat: { stream: chatStreamOutput, body: chatBodyOutput },
  anthropic: { stream: anthropicStreamOutput, body: anthropicBodyOutput },
  gemini: { stream: geminiStreamOutput, body: geminiBodyOutput },
} as const;

const TURN: ComposedTurn = {
  id: "t",
  items: [
    { kind: "reasoning", summary: "First “look”, then act." },
    { kind: "message", text: "I read two files ✓." },
    { kind: "call", name: "read_file", arguments: { path: "a", startLine: 1 } },
    { kind: "call", name: "write_file", arguments: { path: "b", content: "one\ntwo" } },
  ],
};

describe.each(FAMILIES)("a composed turn of the family %s", (family) => {
  test.each([
    ["calls", TURN],
    ["calls without ids", { ...TURN, withoutCallIds: true }],
    ["no call", { ...TURN, items: TURN.items.slice(0, 2) }],
  ])("with %s says the same as a stream and as one body", (_, turn) => {
    const streamed = OUTPUTS[family].stream(new TextEncoder().encode(composeStream(family, turn)));
    expect(streamed?.length).toBeGreaterThan(0);
    expect(streamed).toEqual(OUTPUTS[family].body(composeBody(family, turn)));
  });

  test("ends in the middle of a call where it is cut, and never became part of a conversation", () => {
    const whole = composeStream(family, TURN);
    const cut = composeStream(family, { ...TURN, endAfter: "one" });
    expect(whole.startsWith(cut)).toBe(true);
    expect(cut).toContain("write_file");
    expect(OUTPUTS[family].stream(new TextEncoder().encode(cut))).toBeNull();
    expect(() => composeStream(family, { ...TURN, endAfter: "absent" })).toThrow("no arguments hold absent");
  });
});
