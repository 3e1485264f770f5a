import { describe, expect, test } from "vitest";
import { readToolNames, replay, timeline, type ReplayOptions } from "../../src/replay/index.ts";

const OPTIONS = {
  family: "responses",
  buffered: false,
  closingMarker: "optional",
  maxOutputTokens: null,
  chunkBytes: null,
  end: "clean",
  tools: null,
} as const satisfies ReplayOptions & { tools: null };

function frame(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function call(index: number, args: string, fields: object = {}): string {
  const item = {
    type: "function_call",
    call_id: `call_${index}`,
    name: "read_file",
    arguments: args,
    ...fields,
  };
  return frame("response.output_item.done", { output_index: index, item });
}

function stream(id: string, ...items: readonly string[]): string {
  return [
    frame("response.created", { response: { id } }),
    ...items,
    frame("response.completed", { response: { id, status: "completed" } }),
  ].join("");
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

describe("a replay", () => {
  test("says everything about a response in one document", () => {
    const item = { type: "message", content: [{ type: "output_text", text: "hi" }] };
    const recorded = bytes(
      stream(
        "resp_1",
        frame("response.output_item.done", { output_index: 0, item }),
        call(1, '{"path":"a"}'),
        call(2, '{"path":'.repeat(2)),
        frame("response.hologram"),
      ).replace('"{\\"path\\":{\\"path\\":"', '"{\\"path\\":\\"a\\",}"'),
    );
    expect(replay(recorded, OPTIONS)).toEqual({
      family: "responses",
      raw: "completed",
      outcome: "action_required",
      responseId: "resp_1",
      items: [
        {
          ordinal: 0,
          kind: "message",
          callId: null,
          name: null,
          argumentsKind: null,
          arguments: null,
          state: "ITEM_TERMINAL",
          errorClass: null,
        },
        {
          ordinal: 1,
          kind: "tool_call",
          callId: "call_1",
          name: "read_file",
          argumentsKind: "json",
          arguments: { path: "a" },
          state: "ITEM_TERMINAL",
          errorClass: null,
        },
        {
          ordinal: 2,
          kind: "tool_call",
          callId: "call_2",
          name: "read_file",
          argumentsKind: "json",
          arguments: null,
          state: "QUARANTINED",
          errorClass: "JSON_SYNTAX",
        },
      ],
      executable: [1],
      transport: { end: "closed_by_marker", bytes: recorded.length, messages: 6, unknownEvents: 1 },
      errorClass: null,
    });
  });

  test.each([
    ["a list with the tool", new Set(["read_file"]), [0]],
    ["a list without it", new Set(["write_file"]), []],
    ["no list", null, [0]],
  ])("with %s", (_name, tools, executable) => {
    expect(replay(bytes(stream("r", call(0, "{}"))), { ...OPTIONS, tools }).executable).toEqual(executable);
  });

  test("takes a second response of the recording for what it is", () => {
    const conversation = stream("a", call(0, "{}")) + stream("b", call(0, "{}", { call_id: "call_9" }));
    const { executable, items, responseId, outcome } = replay(bytes(conversation), OPTIONS);
    expect([executable, items.map(({ callId }) => callId), responseId, outcome]).toEqual([
      [0, 1],
      ["call_0", "call_9"],
      "a",
      "action_required",
    ]);
  });

  test("lets nothing of a recording run whose second response is cut", () => {
    const conversation = stream("a", call(0, "{}")) + stream("b", call(0, "{}", { call_id: "call_9" }));
    const document = replay(bytes(conversation.slice(0, -10)), OPTIONS);
    expect([document.executable, document.outcome, document.errorClass]).toEqual([
      [],
      "indeterminate",
      "STREAM_TRUNCATED",
    ]);
    expect(document.items.map(({ state }) => state)).toEqual(["QUARANTINED", "QUARANTINED"]);
  });

  test.each([
    ["[DONE]", "data: [DONE]\n\n"],
    ["an item", call(1, "{}")],
    ["an error", frame("error", { code: "x" })],
    ["the same response again", stream("a", call(1, "{}"))],
  ])("does not read %s behind the closing marker", (_name, more) => {
    const whole = replay(bytes(stream("a", call(0, "{}"))), OPTIONS);
    expect(replay(bytes(stream("a", call(0, "{}")) + more), OPTIONS)).toEqual(whole);
  });

  test("shows when what was told, without a character of the arguments", () => {
    const delta = (text: string): string =>
      frame("response.function_call_arguments.delta", { output_index: 0, delta: text });
    const opened = frame("response.output_item.added", {
      output_index: 0,
      item: { type: "function_call", call_id: "call_0", name: "read_file", arguments: "" },
    });
    const recorded = stream("r", opened, delta('{"secret'), delta('":1}'), call(0, '{"secret":1}'));
    const entries = timeline(bytes(recorded), OPTIONS);
    expect(entries.map(({ messages, told }) => [messages, told])).toEqual([
      [1, "response r, model (not said)"],
      [1, "tool_call read_file call_0 begins (0)"],
      [2, "arguments (0): 12 bytes in 2 pieces"],
      [1, "tool_call read_file call_0 ends (0)"],
      [1, "signal: completed"],
    ]);
  });
});

describe("a list of tools", () => {
  test.each([
    ["names in JSON", '["a","b"]'],
    ["names in YAML", "- a\n- b\n"],
    ["manifests", "- name: a\n  effect: read\n- name: b\n"],
    ["both", '[{"name":"a"},"b"]'],
  ])("may hold %s", (_name, text) => {
    expect(readToolNames(text)).toEqual({ ok: true, names: new Set(["a", "b"]) });
  });

  test.each([
    ["a map", "tools: [a]", "expected array"],
    ["a number", "[a, 1]", "entry 1: each entry has to be a tool's name or its manifest"],
    ["a manifest without a name", "[{effect: read}]", "entry 0: each entry"],
    ["broken YAML", "[a", "Flow sequence"],
  ])("can't be %s", (_name, text, problem) => {
    const read = readToolNames(text);
    expect(read.ok ? "" : read.problem).toContain(problem);
  });
});
