import { aside, body, call, completes, item, refuses, runs, sse, textCall } from "../case.ts";
import type { ConformanceCase, Expectation } from "../case.ts";
import * as c from "./frames.ts";

const A = '{"path":"a"}';
const B = '{"path":"b"}';
const RUNS = runs("tool_calls", c.CALL_A);
const BOTH = runs("tool_calls", c.CALL_A, c.CALL_B);

function accepted(name: string, title: string, stream: string, expect: Expectation = RUNS): ConformanceCase {
  return sse(name, title, { covers: [rowOf(name)], content: stream + c.CALLED, expect });
}

function conflict(
  name: string,
  title: string,
  stream: string,
  ...items: Expectation["items"]
): ConformanceCase {
  const expect = refuses("IDENTITY_CONFLICT", "tool_calls", ...items);
  return sse(name, title, { covers: [rowOf(name)], content: stream + c.CALLED, expect });
}

function rowOf(name: string): string {
  return name.slice(0, 3).toUpperCase();
}

/** Who a fragment belongs to, and how fragments become one call. */
export const IDENTITY: readonly ConformanceCase[] = [
  accepted(
    "c01-no-index",
    "Without an index, a new id opens a call.",
    c.calls(c.call({ id: "call_1" }, "read_file", A)) + c.calls(c.call({ id: "call_2" }, "read_file", B)),
    BOTH,
  ),
  accepted(
    "c01-null-index-one-open",
    "A fragment without id and index continues the only call.",
    c.calls(c.call({ id: "call_1", index: null }, "read_file", '{"path"')) +
      c.calls(c.call({}, undefined, ':"a"}')),
  ),
  conflict(
    "c01-two-open",
    "A fragment that two open calls could own makes the response indeterminate.",
    c.calls(c.call({ id: "call_1" }, "read_file", A), c.call({ id: "call_2" }, "read_file", '{"path":')) +
      c.calls(c.call({}, undefined, '"b"}')),
    c.ASIDE_A,
    aside(call("call_2", "read_file", null)),
  ),
  accepted(
    "c02-one-index-two-ids",
    "Another id on a used index is another call.",
    c.ONE + c.calls(c.call({ id: "call_2", index: 0 }, "read_file", '{"path":')) + c.calls(c.more(0, '"b"}')),
    BOTH,
  ),
  conflict(
    "c02-second-id-without-name",
    "Another id on a used index without a name of its own is nobody's.",
    c.ONE + c.calls(c.call({ index: 0, id: "call_2" }, undefined, B)),
    c.ASIDE_A,
  ),
  accepted(
    "c03-second-object-same-index",
    "A second object under the same index and no new id: neither is taken, and the sibling runs.",
    c.ONE + c.calls(c.more(0, '{"path":"c"}')) + c.TWO,
    runs("tool_calls", aside(c.CALL_A, "JSON_TRAILING_DATA"), c.CALL_B),
  ),
  accepted(
    "c04-object-resent",
    "The same object under the same index once more: a retry and a second call look alike.",
    c.ONE + c.ONE + c.TWO,
    runs("tool_calls", aside(c.CALL_A, "JSON_TRAILING_DATA"), c.CALL_B),
  ),
  accepted(
    "c05-empty-id",
    "An empty id is no id.",
    c.calls(c.call(c.A, "read_file", '{"path"')) + c.calls(c.call({ index: 0, id: "" }, undefined, ':"a"}')),
  ),
  accepted(
    "c06-id-repeated",
    "An id that every fragment repeats continues its call.",
    c.calls(c.call(c.A, "read_file", '{"path"')) + c.calls(c.call(c.A, undefined, ':"a"}')),
  ),
  accepted(
    "c08-id-never-sent",
    "A call without an id gets one of ours, which is flagged.",
    c.calls(c.call({ index: 0 }, "read_file", A)),
    {
      ...runs("tool_calls", call(c.MINTED, "read_file", { path: "a" })),
      flags: ["id_synthesised"],
    },
  ),
  sse("c08-neither-id-nor-name", "Arguments that nothing names belong to nobody.", {
    covers: ["C08"],
    content: c.calls(c.call({ index: 0 }, undefined, A)) + c.CALLED,
    expect: {
      ...refuses("IDENTITY_CONFLICT", "tool_calls", aside(call(c.MINTED, null, { path: "a" }))),
      flags: ["id_synthesised"],
    },
  }),
  accepted(
    "c09-id-then-name",
    "Id, name and arguments may come one after the other.",
    c.calls({ index: 0, id: "call_1" }) + c.calls(c.call({ index: 0 }, "read_file")) + c.calls(c.more(0, A)),
  ),
  accepted(
    "c09-arguments-first",
    "Arguments may come before the name and the id.",
    c.calls(c.more(0, A)) + c.calls(c.call({ index: 0 }, "read_file")) + c.calls({ index: 0, id: "call_1" }),
  ),
  accepted(
    "c10-name-repeated",
    "A name that every fragment repeats is one name.",
    c.calls(c.call(c.A, "read_file", '{"path"')) + c.calls(c.call({ index: 0 }, "read_file", ':"a"}')),
  ),
  accepted(
    "c10-name-in-pieces",
    "A name in pieces is joined while there are no arguments.",
    c.calls(c.call(c.A, "read_")) + c.calls(c.call({ index: 0 }, "file", A)),
  ),
  conflict(
    "c10-name-changes",
    "Another name behind the arguments makes the response indeterminate.",
    c.ONE + c.calls(c.call({ index: 0 }, "write_file")),
    c.ASIDE_A,
  ),
  accepted(
    "c11-no-name",
    "A call without a name is set aside, and its sibling runs.",
    c.calls(c.call(c.A, "", A)) + c.TWO,
    runs("tool_calls", aside(call("call_1", null, { path: "a" }), "TOOL_UNKNOWN"), c.CALL_B),
  ),
  ...["read_file<|channel|>commentary", "default_api:read_file", "<think>read_file"].map((name, at) =>
    sse(
      `c11-leaked-tokens-${at + 1}`,
      `The name \`${name}\` is not the tool's: nothing is stripped to make it fit.`,
      {
        covers: ["C11"],
        content: c.calls(c.call(c.A, name, A)) + c.TWO + c.CALLED,
        options: { tools: ["read_file"] },
        expect: runs("tool_calls", aside(call("call_1", name, { path: "a" }), "TOOL_UNKNOWN"), c.CALL_B),
      },
    ),
  ),
  accepted(
    "c12-first-index-is-1",
    "An index is a key, and no position.",
    c.calls(c.call({ ...c.A, index: 1 }, "read_file", A)) +
      c.calls(c.call({ ...c.B, index: 5 }, "read_file", B)),
    BOTH,
  ),
  accepted(
    "c13-interleaved",
    "Fragments of parallel calls may interleave, with text between them.",
    c.chunk({ content: "Read" }) +
      c.calls(c.call(c.A, "read_file", '{"path"'), c.call(c.B, "read_file", "{")) +
      c.calls(c.more(1, '"path":"b"}')) +
      c.chunk({ content: "ing" }) +
      c.calls(c.more(0, ':"a"}')),
    runs("tool_calls", c.MESSAGE, c.CALL_A, c.CALL_B),
  ),
  accepted(
    "c14-object",
    "Arguments that are an object are taken where they are all there is.",
    c.calls(c.call(c.A, "read_file", { path: "a" })),
  ),
  accepted(
    "c14-empty-object-then-text",
    "An empty object before the text is an opener.",
    c.calls(c.call(c.A, "read_file", {})) + c.calls(c.more(0, A)),
  ),
  ...(
    [
      ["text-then-object", A, { path: "b" }],
      ["object-then-text", { path: "a" }, B],
      ["two-objects", { path: "a" }, { path: "b" }],
    ] as const
  ).map(([name, first, second]) =>
    sse(`c14-${name}`, `Arguments as ${name.replaceAll("-", " ")} make no call.`, {
      covers: ["C14"],
      content: c.calls(c.call(c.A, "read_file", first)) + c.calls(c.more(0, second)) + c.CALLED,
      expect: refuses("ARGUMENTS_MISMATCH", "tool_calls", c.ASIDE_A),
    }),
  ),
  accepted(
    "c15-null",
    "Arguments that are null are none yet.",
    c.calls(c.call(c.A, "read_file", null)) + c.calls(c.more(0, A)),
  ),
  accepted(
    "c15-absent",
    "So are arguments that are absent.",
    c.calls(c.call(c.A, "read_file")) + c.calls(c.more(0, A)),
  ),
  accepted(
    "c16-no-arguments",
    "A call whose arguments stay empty has none.",
    c.calls(c.call(c.A, "list_files", "")),
    runs("tool_calls", call("call_1", "list_files", {})),
  ),
  sse("c16-at-the-cap", "A call without arguments at the end of the budget was cut.", {
    covers: ["C16", "C27"],
    content: c.calls(c.call(c.A, "list_files", "")) + c.finish("tool_calls") + c.usage(64) + c.DONE,
    options: { maxOutputTokens: 64 },
    expect: {
      outcome: "truncated",
      raw: "tool_calls",
      errorClass: "USAGE_AT_CAP",
      items: [aside(call("call_1", "list_files", {}))],
    },
  }),
  sse("c21-call-and-finish-in-one-chunk", "A call may come in the chunk that finishes.", {
    covers: ["C21"],
    content: c.chunk({ tool_calls: [c.call(c.A, "read_file", A)] }, { finish_reason: "tool_calls" }) + c.DONE,
    expect: RUNS,
  }),
  sse("c22-message-in-stream", "A whole message in a delta's place is read as neither.", {
    covers: ["C22"],
    content:
      c.choice({ message: { tool_calls: [c.call(c.A, "read_file", A)] }, finish_reason: "tool_calls" }) +
      c.DONE,
    expect: refuses("EVENT_ORDER", "tool_calls"),
  }),
  body("c22-message", "In a whole body calls stand in a message.", {
    covers: ["C22"],
    value: c.completion(
      {
        tool_calls: [
          c.call({ id: "call_1", type: "function" }, "read_file", A),
          { id: "call_2", type: "custom", custom: { name: "sql", input: "SELECT {" } },
        ],
      },
      "tool_calls",
    ),
    expect: runs("tool_calls", c.CALL_A, textCall("call_2", "sql", "SELECT {")),
  }),
  ...[
    ["tags", "<tool_call>{}</tool_call>"],
    ["brackets", "[TOOL_CALLS] [{}]"],
    ["a channel", "<|channel|>commentary to=read_file"],
    ["its own markup", "<｜DSML｜invoke>"],
  ].map(([template = "", text = ""]) =>
    sse(
      `c23-${template.replaceAll(" ", "-")}`,
      `A call that is written as text in ${template} is text, and flagged.`,
      {
        covers: ["C23"],
        content: c.chunk({ content: text }) + c.finish("stop") + c.DONE,
        expect: { ...completes("stop", c.MESSAGE), flags: ["tool_markup_in_text"] },
      },
    ),
  ),
  sse("c23-announced", "It is none where the finish reason says that there are calls, either.", {
    covers: ["C23"],
    content: c.chunk({ content: "<tool_call>{}</tool_call>" }) + c.CALLED,
    expect: {
      ...refuses("CALLS_ABSENT", "tool_calls", aside(c.MESSAGE)),
      flags: ["tool_markup_in_text"],
    },
  }),
  sse("c24-legacy-call", "The oldest form of a call is one call with an id of ours.", {
    covers: ["C24"],
    content:
      c.chunk({ function_call: { name: "read_file", arguments: '{"path"' } }) +
      c.chunk({ function_call: { arguments: ':"a"}' } }) +
      c.finish("function_call") +
      c.DONE,
    expect: {
      ...runs("function_call", call(c.MINTED, "read_file", { path: "a" })),
      flags: ["id_synthesised"],
    },
  }),
  sse("reasoning", "Reasoning in any of its fields is kept, and decides nothing.", {
    covers: [],
    content: c.chunk({ reasoning_content: "let me" }) + c.ONE + c.CALLED,
    expect: runs("tool_calls", item("reasoning"), c.CALL_A),
  }),
];
