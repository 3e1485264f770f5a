import { describe, expect, test } from "vitest";
import { createResponseReader, readBufferedResponse } from "@airlock/core/terminal";
import { ADAPTERS } from "@airlock/core/wire";
import { LIMITS, executable, summary } from "./streams.ts";
import {
  DONE,
  ROLE,
  call,
  calls,
  chunk,
  chunkOf,
  data,
  finish,
  readChat,
  readWhole,
  usage,
} from "./chat-streams.ts";

const A = { index: 0, id: "a", type: "function" };
const B = { index: 1, id: "b", type: "function" };
const CALLED = finish("tool_calls") + DONE;
const ONE = calls(call(A, "f", '{"x":1}'));

/** What would run: id, name and argument text of each call. */
type Run = readonly [id: string | null, name: string | null, args: string];
type Accepted = readonly [name: string, stream: string, runs: readonly Run[]];

const F: Run = ["a", "f", '{"x":1}'];
const TWO: readonly Run[] = [F, ["b", "g", '{"y":2}']];

describe("what Chat gateways do and what runs", () => {
  test.each<Accepted>([
    [
      "a call by the book",
      ROLE +
        calls(call(A, "f", "")) +
        calls(call({ index: 0 }, undefined, '{"x":')) +
        calls(call({ index: 0 }, undefined, "1}")) +
        CALLED,
      [F],
    ],
    [
      "C01 no index, and every call with an id",
      calls(call({ id: "a" }, "f", '{"x":1}')) + calls(call({ id: "b" }, "g", '{"y":2}')) + CALLED,
      TWO,
    ],
    [
      "C01 index null, and pieces while one call is open",
      calls(call({ id: "a", index: null }, "f", '{"x"')) + calls(call({}, undefined, ":1}")) + CALLED,
      [F],
    ],
    [
      "C02 one index for all calls",
      calls(call(A, "f", '{"x":1}')) +
        calls(call({ ...B, index: 0 }, "g", '{"y"')) +
        calls(call({ index: 0 }, undefined, ":2}")) +
        CALLED,
      TWO,
    ],
    [
      "C05 an empty id on later pieces",
      calls(call(A, "f", '{"x"')) + calls(call({ index: 0, id: "" }, undefined, ":1}")) + CALLED,
      [F],
    ],
    ["C06 the id repeated", calls(call(A, "f", '{"x"')) + calls(call(A, undefined, ":1}")) + CALLED, [F]],
    [
      "C09 the id first, then the name",
      calls({ index: 0, id: "a" }) +
        calls(call({ index: 0 }, "f")) +
        calls(call({ index: 0 }, undefined, '{"x":1}')) +
        CALLED,
      [F],
    ],
    [
      "C09 arguments before the name and the id",
      calls(call({ index: 0 }, undefined, '{"x":1}')) +
        calls(call({ index: 0 }, "f")) +
        calls({ index: 0, id: "a" }) +
        CALLED,
      [F],
    ],
    [
      "C10 the name each time",
      calls(call(A, "f", '{"x"')) + calls(call({ index: 0 }, "f", ":1}")) + CALLED,
      [F],
    ],
    [
      "C10 the name in pieces",
      calls(call(A, "get_")) + calls(call({ index: 0 }, "file", '{"x":1}')) + CALLED,
      [["a", "get_file", '{"x":1}']],
    ],
    ["C12 the first index is 1", calls(call({ ...A, index: 1 }, "f", '{"x":1}')) + CALLED, [F]],
    [
      "C13 interleaved pieces",
      calls(call(A, "f", "{"), call(B, "g", "{")) +
        calls(call({ index: 1 }, undefined, '"y":2}')) +
        calls(call({ index: 0 }, undefined, '"x":1}')) +
        CALLED,
      TWO,
    ],
    ["C14 arguments that are an object", calls(call(A, "f", { x: 1 })) + CALLED, [F]],
    [
      "C14 an empty object before the text",
      calls(call(A, "f", {})) + calls(call({ index: 0 }, undefined, '{"x":1}')) + CALLED,
      [F],
    ],
    ["C14 an empty object alone", calls(call(A, "f", {})) + CALLED, [["a", "f", "{}"]]],
    [
      "C15 arguments null",
      calls(call(A, "f", null)) + calls(call({ index: 0 }, undefined, '{"x":1}')) + CALLED,
      [F],
    ],
    [
      "C15 no arguments field",
      calls(call(A, "f")) + calls(call({ index: 0 }, undefined, '{"x":1}')) + CALLED,
      [F],
    ],
    ["C16 no arguments at all", calls(call(A, "f", "")) + CALLED, [["a", "f", ""]]],
    ["C16 blank arguments", calls(call(A, "f", " \n")) + CALLED, [["a", "f", " \n"]]],
    [
      "C21 a whole call with the finish reason",
      chunk({ tool_calls: [call(A, "f", '{"x":1}')] }, { finish_reason: "tool_calls" }) + DONE,
      [F],
    ],
    ["C26 stop with a call", ONE + finish("stop") + DONE, [F]],
    ["C29 tool_calls, then stop", ONE + finish("tool_calls") + finish("stop") + DONE, [F]],
    ["C29 stop, then tool_calls", ONE + finish("stop") + finish("tool_calls") + DONE, [F]],
    ["C29 the same reason twice", ONE + finish("stop") + ROLE + finish("stop") + DONE, [F]],
    [
      "C30 an empty finish reason on every chunk",
      chunk({ tool_calls: [call(A, "f", '{"x":1}')] }, { finish_reason: "" }) + CALLED,
      [F],
    ],
    [
      "C31 no finish_reason field",
      chunkOf({ delta: { tool_calls: [call(A, "f", '{"x":1}')] } }) + CALLED,
      [F],
    ],
    ["C35 the socket stays open behind [DONE]", ONE + CALLED + chunk({ content: "late" }), [F]],
    ["C36 [DONE] without a space", ONE + finish("tool_calls") + "data:[DONE]\n\n", [F]],
    ["C36 [DONE] with spaces", ONE + finish("tool_calls") + "data:  [DONE]  \n\n", [F]],
    [
      "C37 chunks without a choice",
      data({ choices: [], id: "", prompt_filter_results: [] }) +
        ONE +
        data({ choices: [] }) +
        finish("tool_calls") +
        usage(9) +
        DONE,
      [F],
    ],
    ["C38 a choice without a delta", chunkOf({ content_filter_offsets: {} }, { id: "" }) + ONE + CALLED, [F]],
    [
      "C39 usage on the finishing chunk",
      ONE + chunkOf({ delta: {}, finish_reason: "tool_calls" }, { usage: { completion_tokens: 4 } }) + DONE,
      [F],
    ],
    [
      "C41 error: null",
      chunkOf({ delta: { tool_calls: [call(A, "f", '{"x":1}')] } }, { error: null }) + CALLED,
      [F],
    ],
    ["a reason that leaked from another family", ONE + finish("tool_use") + DONE, [F]],
    [
      "a message beside the delta that repeats the text",
      chunkOf({ delta: { content: "hi" }, message: { content: "hi" } }) + ONE + CALLED,
      [F],
    ],
    ["C78 comments", `: OPENROUTER PROCESSING\n\n${ONE}: ping\n\n:\n${CALLED}`, [F]],
    ["C80 line ends of all kinds", (ONE + CALLED).replaceAll("\n", "\r\n"), [F]],
    ["C81 a byte order mark", `\uFEFF${ONE}${CALLED}`, [F]],
    ["C82 data on several lines", ONE.replace(',"object"', ',\ndata: "object"') + CALLED, [F]],
    ["C83 no blank line behind [DONE]", (ONE + CALLED).trimEnd(), [F]],
  ])("accepts %s", (...[_name, stream, runs]) => {
    const reading = readChat(stream);
    const items = reading.items.filter(({ kind }) => kind === "tool_call");
    expect(summary(reading).slice(0, 2)).toEqual(["action_required:tool", null]);
    expect(items.map(({ callId, name, content }) => [callId, name, content])).toEqual(runs);
    expect(reading.items.filter(({ state }) => state !== "ITEM_TERMINAL")).toEqual([]);
  });

  test.each([
    ["C08 no id ever", calls(call({ index: 0 }, "f", '{"x":1}'))],
    [
      "C24 the legacy form, in pieces",
      chunk({ function_call: { name: "f", arguments: '{"x"' } }) +
        chunk({ function_call: { arguments: ":1}" } }),
    ],
  ])("mints an id for %s, and always the same one", (_name, stream) => {
    const reading = readChat(stream + finish("function_call") + DONE);
    const [item] = reading.items;
    expect(item?.callId).toMatch(/^call_[0-9a-f]{24}$/);
    expect([summary(reading), item?.name, item?.content]).toEqual([
      ["action_required:tool", null, [null]],
      "f",
      '{"x":1}',
    ]);
    expect(reading.flags).toEqual(["id_synthesised"]);
    expect(reading.outputItems).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: item?.callId, type: "function", function: { name: "f", arguments: '{"x":1}' } }],
      },
    ]);
    expect(readChat(stream + finish("function_call") + DONE)).toEqual(reading);
  });
});

type Refused = readonly [name: string, stream: string, errorClass: string];

describe("what makes a Chat response indeterminate", () => {
  test.each<Refused>([
    [
      "C01 a piece that two calls could own",
      calls(call({ id: "a" }, "f", "{}"), call({ id: "b" }, "g", "{")) +
        calls(call({}, undefined, "}")) +
        CALLED,
      "IDENTITY_CONFLICT",
    ],
    ["C01 a piece that no call owns", calls(call({}, undefined, "{}")) + CALLED, "IDENTITY_CONFLICT"],
    [
      "C01 an index with a name beside a call without an index",
      calls(call({ id: "a" }, "f", "")) + calls(call({ index: 0 }, "f", "{}")) + CALLED,
      "IDENTITY_CONFLICT",
    ],
    [
      "C01 an index that appears beside a call without one",
      calls(call({ id: "a" }, "f", "")) + calls(call({ index: 0 }, undefined, "{}")) + CALLED,
      "IDENTITY_CONFLICT",
    ],
    [
      "C02 another id on the index without a name",
      ONE + calls(call({ index: 0, id: "b" }, undefined, "{}")) + CALLED,
      "IDENTITY_CONFLICT",
    ],
    [
      "C06 one id on two indexes",
      ONE + calls(call({ ...A, index: 1 }, "f", "{}")) + CALLED,
      "IDENTITY_CONFLICT",
    ],
    [
      "a call that another has replaced is taken up again",
      ONE + calls(call({ ...B, index: 0 }, "g", "{")) + calls(call(A, undefined, "}")) + CALLED,
      "IDENTITY_CONFLICT",
    ],
    ["C08 no id and no name", calls(call({ index: 0 }, undefined, "{}")) + CALLED, "IDENTITY_CONFLICT"],
    [
      "C08 arguments under an index that nothing names",
      calls(call(A, "f", "")) + calls(call({ index: 1 }, undefined, "{}")) + CALLED,
      "IDENTITY_CONFLICT",
    ],
    [
      "C10 another name behind the arguments",
      ONE + calls(call({ index: 0 }, "g")) + CALLED,
      "IDENTITY_CONFLICT",
    ],
    [
      "C14 an object behind text",
      calls(call(A, "f", '{"x":1}')) + calls(call({ index: 0 }, undefined, { y: 1 })) + CALLED,
      "ARGUMENTS_MISMATCH",
    ],
    [
      "C14 text behind an object",
      calls(call(A, "f", { x: 1 })) + calls(call({ index: 0 }, undefined, "{}")) + CALLED,
      "ARGUMENTS_MISMATCH",
    ],
    [
      "C14 two objects",
      calls(call(A, "f", {})) + calls(call({ index: 0 }, undefined, {})) + CALLED,
      "ARGUMENTS_MISMATCH",
    ],
    ["C14 a number", calls(call(A, "f", 1)) + CALLED, "STREAM_MALFORMED"],
    ["C16 arguments that are only opened", calls(call(A, "f", "{")) + CALLED, "JSON_TRUNCATED"],
    [
      "C22 calls in a message",
      chunkOf({ message: { tool_calls: [call(A, "f", "{}")] }, finish_reason: "tool_calls" }) + DONE,
      "EVENT_ORDER",
    ],
    [
      "C24 both forms at once",
      ONE + chunk({ function_call: { name: "f", arguments: '{"x":1}' } }) + CALLED,
      "IDENTITY_CONFLICT",
    ],
    ["C27 arguments that are cut", calls(call(A, "f", '{"x":"ab')) + CALLED, "JSON_TRUNCATED"],
    ["C29 another pair of reasons", ONE + finish("tool_calls") + finish("length") + DONE, "SIGNAL_CONFLICT"],
    [
      "C29 stop without calls, then tool_calls",
      chunk({ content: "hi" }) + finish("stop") + finish("tool_calls") + DONE,
      "SIGNAL_CONFLICT",
    ],
    [
      "C29 text behind the finish",
      ONE + finish("tool_calls") + chunk({ content: "x" }) + DONE,
      "EVENT_AFTER_FINISH",
    ],
    [
      "C29 thoughts behind the finish",
      chunk({ reasoning_content: "a" }) +
        ONE +
        finish("tool_calls") +
        chunk({ reasoning_content: "b" }) +
        DONE,
      "EVENT_AFTER_FINISH",
    ],
    [
      "C29 a call behind the finish",
      ONE + finish("tool_calls") + calls(call(B, "g", "{}")) + DONE,
      "EVENT_AFTER_FINISH",
    ],
    [
      "C29 a second finish with content",
      ONE + finish("stop") + chunk({ content: "x" }, { finish_reason: "stop" }) + DONE,
      "EVENT_AFTER_FINISH",
    ],
    ["tool_calls without a call", chunk({ content: "hi" }) + CALLED, "CALLS_ABSENT"],
    ["C32 no finish reason", ONE + DONE, "STREAM_TRUNCATED"],
    ["C33 neither a reason nor a marker", ONE, "STREAM_TRUNCATED"],
    ["C41 an error object", ONE + data({ error: { message: "over" } }) + CALLED, "PROVIDER_ERROR"],
    ["C41 an error text", ONE + data({ error: "over" }) + CALLED, "PROVIDER_ERROR"],
    [
      "C41 an error beside no choices",
      ONE + data({ choices: [], error: { code: null } }) + CALLED,
      "PROVIDER_ERROR",
    ],
    [
      "C41 an error behind the finish",
      ONE + finish("tool_calls") + data({ error: {} }) + DONE,
      "PROVIDER_ERROR",
    ],
    [
      "an error in the choice",
      ONE + chunkOf({ error: { code: 502 }, finish_reason: "tool_calls" }) + DONE,
      "PROVIDER_ERROR",
    ],
    [
      "an error object of its own",
      ONE + data({ object: "error", message: "over", code: 400 }) + CALLED,
      "PROVIDER_ERROR",
    ],
    ["an error event", `${ONE}event: error\ndata: {"message":"over"}\n\n${CALLED}`, "PROVIDER_ERROR"],
    ["C42 finish reason error", ONE + finish("error") + DONE, "PROVIDER_STOPPED"],
    ["C42 an unknown finish reason", ONE + finish("something_new") + DONE, "SIGNAL_UNKNOWN"],
    ["a finish reason that is no text", ONE + finish(1) + DONE, "STREAM_MALFORMED"],
    [
      "several choices",
      ONE +
        data({
          choices: [
            { index: 0, delta: {} },
            { index: 1, delta: {} },
          ],
        }) +
        CALLED,
      "IDENTITY_CONFLICT",
    ],
    ["another choice", ONE + data({ choices: [{ index: 1, delta: {} }] }) + CALLED, "IDENTITY_CONFLICT"],
    ["choices that are no list", ONE + data({ choices: {} }) + CALLED, "STREAM_MALFORMED"],
    ["content that is a number", ONE + chunk({ content: 1 }) + CALLED, "STREAM_MALFORMED"],
    [
      "a call that changes its kind",
      ONE + calls({ index: 0, type: "custom", custom: { input: "x" } }) + CALLED,
      "IDENTITY_CONFLICT",
    ],
    ["C84 a bare line of JSON", `${ONE}{"detail":"bad gateway"}\n${CALLED}`, "STREAM_MALFORMED"],
    ["C89 only [DONE]", DONE, "EMPTY_STREAM"],
    ["C89 nothing", "", "EMPTY_STREAM"],
  ])("%s", (...[_name, stream, errorClass]) => {
    const reading = readChat(stream);
    expect(summary(reading).slice(0, 2)).toEqual(["indeterminate", errorClass]);
    expect([executable(reading), reading.outputItems]).toEqual([false, []]);
    expect(reading.items.filter(({ state }) => state !== "QUARANTINED")).toEqual([]);
  });
});

describe("content that is wrong in one Chat call", () => {
  // Which of them the strict parser refuses is for the judge: here they go on as they came.
  test.each([
    [
      "C03 two objects in one call",
      calls(call(A, "f", '{"a":1}')) + calls(call({ index: 0 }, undefined, '{"a":2}')),
      '{"a":1}{"a":2}',
    ],
    [
      "C04 an object sent twice",
      calls(call(A, "f", '{"a":1}')) + calls(call(A, "f", '{"a":1}')),
      '{"a":1}{"a":1}',
    ],
    ["C17 arguments encoded twice", calls(call(A, "f", '"{}"')), '"{}"'],
    ["C18 a bad escape", calls(call(A, "f", '{"a":"C:\\Users"}')), '{"a":"C:\\Users"}'],
    ["C19 a fence", calls(call(A, "f", "```json\n{}\n```")), "```json\n{}\n```"],
    ["C20 a key twice", calls(call(A, "f", '{"a":1,"a":2}')), '{"a":1,"a":2}'],
  ])("%s is given on unrepaired", (...[_name, stream, content]) => {
    const reading = readChat(stream + calls(call(B, "g", "{}")) + CALLED);
    expect(summary(reading)).toEqual(["action_required:tool", null, [null, null]]);
    expect(reading.items.map((item) => item.content)).toEqual([content, "{}"]);
  });

  test("C20 a key twice in arguments that are an object is still there", () => {
    const stream = calls(call(A, "f", { x: 1 })).replace('{"x":1}', '{"x":1, "x":9007199254740993}');
    expect(readChat(stream + CALLED).items[0]?.content).toBe('{"x":1, "x":9007199254740993}');
  });

  test("C11 a call with an id and no name has none", () => {
    const reading = readChat(calls(call(A, "", "{}")) + CALLED);
    expect([summary(reading), reading.items[0]?.name]).toEqual([
      ["action_required:tool", null, [null]],
      null,
    ]);
  });

  test("C85 a replaced character sets only that call aside", () => {
    const reading = readChat(calls(call(A, "f", '{"a":"\uFFFD"}'), call(B, "g", "{}")) + CALLED);
    expect(summary(reading)).toEqual(["action_required:tool", null, ["BAD_UTF8", null]]);
  });

  test("a call of an unknown type has no arguments of a known kind", () => {
    const reading = readChat(calls(call({ ...A, type: "retrieval" }, "f", "{}")) + CALLED);
    expect(reading.items.map((item) => item.argumentsKind)).toEqual([null]);
    expect(reading.outputItems[0]?.["tool_calls"]).toEqual([call({ id: "a", type: "retrieval" }, "f", "{}")]);
  });
});

describe("how else a Chat response ends", () => {
  test.each([
    ["stop", "candidate_complete", null],
    ["length", "truncated", "RESPONSE_NOT_EXECUTABLE"],
    ["max_tokens", "truncated", "RESPONSE_NOT_EXECUTABLE"],
    ["content_filter", "policy_stop", "RESPONSE_NOT_EXECUTABLE"],
    ["sensitive", "policy_stop", "RESPONSE_NOT_EXECUTABLE"],
  ])("%s with text is %s", (reason, outcome, item) => {
    const reading = readChat(chunk({ content: "hi" }) + finish(reason) + DONE);
    expect([summary(reading), reading.outputText]).toEqual([[outcome, null, [item]], "hi"]);
  });

  test("C40 a filter in the middle of a call runs nothing", () => {
    const stream = calls(call(A, "f", '{"x"')) + finish("content_filter");
    expect(summary(readChat(stream + DONE))).toEqual(["policy_stop", null, ["RESPONSE_NOT_EXECUTABLE"]]);
    expect(summary(readChat(stream, { closingMarker: "optional" }))[0]).toBe("policy_stop");
  });

  test("a refusal behind a text is a policy stop as well", () => {
    const stream = chunk({ content: "Well. " }) + chunk({ refusal: "I won't" }) + finish("stop") + DONE;
    expect(summary(readChat(stream))).toEqual(["policy_stop", null, ["RESPONSE_NOT_EXECUTABLE"]]);
  });

  test("a refusal is a policy stop", () => {
    const reading = readChat(chunk({ refusal: "I " }) + chunk({ refusal: "won't" }) + finish("stop") + DONE);
    expect(summary(reading)).toEqual(["policy_stop", null, ["RESPONSE_NOT_EXECUTABLE"]]);
  });

  test("C16 a call whose response used the whole budget is cut", () => {
    const stream = calls(call(A, "f", "")) + finish("tool_calls") + usage(100) + DONE;
    const reading = readChat(stream, { requestedMaxOutputTokens: 100 });
    expect(summary(reading)).toEqual(["truncated", "USAGE_AT_CAP", ["RESPONSE_NOT_EXECUTABLE"]]);
    expect(reading.usage).toEqual({ inputTokens: 3, outputTokens: 100 });
  });

  test.each([
    "<tool_call>{}</tool_call>",
    "[TOOL_CALLS] [{}]",
    "<|channel|>commentary to=f",
    "<｜DSML｜invoke>",
  ])("C23 %s in the text is flagged and no call", (text) => {
    const reading = readChat(chunk({ content: text }) + finish("stop") + DONE);
    expect([summary(reading), reading.flags]).toEqual([
      ["candidate_complete", null, [null]],
      ["tool_markup_in_text"],
    ]);
    expect(summary(readChat(chunk({ content: text }) + CALLED)).slice(0, 2)).toEqual([
      "indeterminate",
      "CALLS_ABSENT",
    ]);
  });

  test("C56 a normal end of nothing is flagged, and leaves nothing to repeat", () => {
    const reading = readChat(ROLE + finish("stop") + DONE);
    expect([summary(reading), reading.flags, reading.outputItems]).toEqual([
      ["candidate_complete", null, []],
      ["empty"],
      [],
    ]);
  });
});

describe("C34 a stream that finishes without [DONE]", () => {
  const stream = ONE + finish("tool_calls") + usage(4);

  test("counts where the route says that the marker is optional", () => {
    const reading = readChat(stream, { closingMarker: "optional" });
    expect([summary(reading), reading.transport.end]).toEqual([
      ["action_required:tool", null, [null]],
      "clean",
    ]);
  });

  test.each([{}, { closingMarker: "required" }] as const)("does not count with %j", (options) => {
    expect(summary(readChat(stream, options))).toEqual([
      "indeterminate",
      "STREAM_TRUNCATED",
      ["RESPONSE_NOT_EXECUTABLE"],
    ]);
  });

  test.each(["reset", "idle_timeout", "total_timeout", "cancelled"] as const)(
    "C90 never counts after %s",
    (end) => {
      expect(executable(readChat(stream, { closingMarker: "optional" }, end))).toBe(false);
      expect(executable(readChat(stream + DONE, { closingMarker: "optional" }, end))).toBe(true);
    },
  );

  test("never counts with a cut frame behind it", () => {
    expect(executable(readChat(`${stream}data: {"cho`, { closingMarker: "optional" }))).toBe(false);
    expect(executable(readChat(`${stream}data: [DON`, { closingMarker: "optional" }))).toBe(false);
  });
});

test("the message that a follow-up repeats holds everything that the provider wants to see again", () => {
  const signature = { extra_content: { google: { thought_signature: "sig" } } };
  const stream = [
    chunk({ role: "assistant", content: "", reasoning_content: "let " }),
    chunk({
      reasoning_content: "me",
      reasoning_details: [{ index: 0, type: "reasoning.text", text: "a", format: "v1" }],
    }),
    chunk({
      reasoning_details: [{ index: 0, type: "reasoning.text", text: "b", format: "v1", signature: "s" }],
    }),
    chunk({ reasoning_details: [{ index: 1, type: "reasoning.encrypted", data: "xyz" }] }),
    chunk({ content: "Read" }),
    chunk({ content: "ing", annotations: [] }),
    calls({ ...call(A, "f", '{"x": '), ...signature }),
    calls(call({ index: 0 }, undefined, "1}")),
    calls({ index: 1, id: "b", type: "custom", custom: { name: "sql", input: "SELECT 1" } }),
    finish("tool_calls"),
    usage(5),
    DONE,
  ].join("");
  const reading = readChat(stream);
  expect(reading.outputItems).toEqual([
    {
      role: "assistant",
      content: "Reading",
      reasoning_content: "let me",
      reasoning_details: [
        { index: 0, type: "reasoning.text", text: "ab", format: "v1", signature: "s" },
        { index: 1, type: "reasoning.encrypted", data: "xyz" },
      ],
      annotations: [],
      tool_calls: [
        { id: "a", type: "function", function: { name: "f", arguments: '{"x": 1}' }, ...signature },
        { id: "b", type: "custom", custom: { name: "sql", input: "SELECT 1" } },
      ],
    },
  ]);
  expect(
    reading.items.map(({ ordinal, kind, callId, name, argumentsKind, content }) => [
      ordinal,
      kind,
      callId,
      name,
      argumentsKind,
      content,
    ]),
  ).toEqual([
    [0, "reasoning", null, null, null, ""],
    [1, "message", null, null, null, "Reading"],
    [2, "tool_call", "a", "f", "json", '{"x": 1}'],
    [3, "tool_call", "b", "sql", "text", "SELECT 1"],
  ]);
});

test("two streams that are read in turns do not mix", () => {
  const other = calls(call({ ...A, id: "z" }, "g", '{"y":"ä"}')) + CALLED;
  const streams = [ONE + CALLED, other].map((text) => new TextEncoder().encode(text));
  const readers = streams.map(() => createResponseReader(ADAPTERS.chat, LIMITS));
  for (let at = 0; at < Math.max(...streams.map(({ length }) => length)); at += 1) {
    for (const [index, reader] of readers.entries())
      reader.push((streams[index] ?? new Uint8Array()).subarray(at, at + 1));
  }
  expect(readers.map((reader) => reader.end("clean"))).toEqual([readChat(ONE + CALLED), readChat(other)]);
});

describe("C88 a whole body where a stream was asked for", () => {
  const message = {
    role: "assistant",
    content: null,
    tool_calls: [call({ id: "a", type: "function" }, "f", '{"x":1}')],
  };
  const body = {
    id: "chatcmpl-1",
    created: 7,
    model: "m",
    choices: [{ index: 0, message, finish_reason: "tool_calls" }],
    usage: { prompt_tokens: 3, completion_tokens: 4 },
  };

  test("reads as its stream does", () => {
    const streamed = readChat(ONE + finish("tool_calls") + usage(4) + DONE);
    const { transport: _streamed, ...expected } = streamed;
    const { transport, ...reading } = readWhole("chat", body);
    expect(reading).toEqual(expected);
    expect(transport.end).toBe("clean");
  });

  test.each([
    ["an error", { error: { message: "no", code: "invalid_request" } }, "PROVIDER_ERROR"],
    ["an error in a list", [{ error: { message: "no" } }], "PROVIDER_ERROR"],
    ["something else", { ok: true }, "STREAM_MALFORMED"],
    ["a text", '"hello"', "STREAM_MALFORMED"],
    ["a body that is cut", '{"choices":[', "STREAM_MALFORMED"],
    ["nothing", "  ", "EMPTY_STREAM"],
    [
      "a response that has not finished",
      { ...body, choices: [{ message, finish_reason: null }] },
      "STREAM_TRUNCATED",
    ],
    ["two choices", { ...body, choices: [...body.choices, ...body.choices] }, "IDENTITY_CONFLICT"],
    [
      "a call id twice",
      {
        ...body,
        choices: [
          { message: { tool_calls: [...message.tool_calls, ...message.tool_calls] }, finish_reason: "stop" },
        ],
      },
      "IDENTITY_CONFLICT",
    ],
  ])("%s is indeterminate", (...[_name, whole, errorClass]) => {
    const reading = readWhole("chat", whole);
    expect(summary(reading).slice(0, 2)).toEqual(["indeterminate", errorClass]);
    expect(executable(reading)).toBe(false);
  });

  test.each(["reset", "mid_line", "idle_timeout", "http_error"] as const)("never counts after %s", (end) => {
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    expect(executable(readBufferedResponse(ADAPTERS.chat, { bytes, end: "clean" }, LIMITS))).toBe(true);
    const reading = readBufferedResponse(ADAPTERS.chat, { bytes, end }, LIMITS);
    expect([reading.outcome.kind, reading.transport.end, reading.items]).toEqual(["indeterminate", end, []]);
  });

  test.each([
    ["bytes that are not UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d), {}, "BAD_UTF8"],
    [
      "more bytes than a stream may have",
      new TextEncoder().encode(JSON.stringify(body)),
      { maxStreamBytes: 20 },
      "STREAM_TOO_LARGE",
    ],
  ])("is refused with %s", (...[_name, bytes, limits, errorClass]) => {
    const reading = readBufferedResponse(ADAPTERS.chat, { bytes, end: "clean" }, { ...LIMITS, ...limits });
    expect([reading.outcome.kind, reading.errorClass]).toEqual(["indeterminate", errorClass]);
  });
});
