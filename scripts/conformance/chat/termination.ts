import { aside, body, call, completes, refuses, runs, sse, stops, truncates } from "../case.ts";
import type { ConformanceCase, Expectation } from "../case.ts";
import * as c from "./frames.ts";

const RUNS = runs("tool_calls", c.CALL_A);
const PARTIAL = c.calls(c.call(c.A, "read_file", '{"path":'));

function accepted(name: string, title: string, content: string, expect: Expectation = RUNS): ConformanceCase {
  return sse(name, title, { covers: [name.slice(0, 3).toUpperCase()], content, expect });
}

function afterFinish(name: string, title: string, content: string): ConformanceCase {
  const expect = refuses("EVENT_AFTER_FINISH", "tool_calls", c.ASIDE_A);
  return sse(name, title, { covers: ["C29"], content: content + c.DONE, expect });
}

/** How a response ends, and what follows its end. */
export const TERMINATION: readonly ConformanceCase[] = [
  sse("outcome-refusal", "A refusal and nothing else is a policy stop.", {
    covers: [],
    content: c.chunk({ refusal: "I won't" }) + c.finish("stop") + c.DONE,
    expect: stops("stop", aside(c.MESSAGE)),
  }),
  body("outcome-refusal", "A refusal and nothing else is one in a whole body, too.", {
    covers: [],
    value: c.completion({ refusal: "I won't" }, "stop"),
    expect: stops("stop", aside(c.MESSAGE)),
  }),
  sse("several-choices", "Of several answers nobody said which one counts.", {
    covers: [],
    content:
      c.ONE +
      c.data({
        id: "chatcmpl-1",
        choices: [
          { index: 0, delta: {} },
          { index: 1, delta: {} },
        ],
      }) +
      c.CALLED,
    expect: refuses("IDENTITY_CONFLICT", "tool_calls", c.ASIDE_A),
  }),
  sse(
    "c27-cut-by-limits",
    "Calls are announced though the arguments were cut: the response is indeterminate.",
    {
      covers: ["C27", "C44"],
      content: PARTIAL + c.CALLED,
      expect: refuses("JSON_TRUNCATED", "tool_calls", aside(call("call_1", "read_file", null))),
    },
  ),
  sse("c44-length-with-whole-arguments", "Arguments that happen to be whole at the limit do not run.", {
    covers: ["C44"],
    content: c.ONE + c.finish("length") + c.DONE,
    expect: truncates("length", c.ASIDE_A),
  }),
  sse("c44-length-with-cut-arguments", "Arguments that were cut at the limit are not completed by us.", {
    covers: ["C44"],
    content: PARTIAL + c.finish("length") + c.DONE,
    expect: truncates("length", aside(call("call_1", "read_file", null))),
  }),
  accepted(
    "c29-tool-calls-then-stop",
    "Two finishing chunks that ask for the same are one.",
    c.ONE + c.finish("tool_calls") + c.finish("stop") + c.DONE,
  ),
  sse("c29-another-pair", "Two finishing chunks that say different things are a conflict.", {
    covers: ["C29"],
    content: c.ONE + c.finish("tool_calls") + c.finish("length") + c.DONE,
    expect: refuses("SIGNAL_CONFLICT", "tool_calls", c.ASIDE_A),
  }),
  afterFinish(
    "c29-text-after-finish",
    "Text behind the finish can't belong to it.",
    c.ONE + c.finish("tool_calls") + c.chunk({ content: "x" }),
  ),
  afterFinish("c29-call-after-finish", "Nor can a call.", c.ONE + c.finish("tool_calls") + c.TWO),
  accepted(
    "c30-empty-finish-reasons",
    "An empty finish reason is none.",
    c.chunk({ tool_calls: [c.call(c.A, "read_file", '{"path":"a"}')] }, { finish_reason: "" }) + c.CALLED,
  ),
  accepted(
    "c31-no-finish-reason-field",
    "Chunks in the middle may lack the field.",
    c.choice({ delta: { tool_calls: [c.call(c.A, "read_file", '{"path":"a"}')] } }) + c.CALLED,
  ),
  sse("c32-no-finish-reason", "[DONE] without a finish reason ends nothing.", {
    covers: ["C32"],
    content: c.ONE + c.DONE,
    expect: refuses("STREAM_TRUNCATED", null, c.UNFINISHED),
  }),
  sse("c33-end-of-file", "A clean end of the bytes with neither ends nothing.", {
    covers: ["C33"],
    content: PARTIAL,
    expect: { ...refuses("STREAM_TRUNCATED", null, c.UNFINISHED), end: "clean" },
  }),
  sse("c34-no-done", "Where the marker is optional, a finish reason and a clean end are enough.", {
    covers: ["C34"],
    content: c.ONE + c.finish("tool_calls") + c.usage(4),
    expect: { ...RUNS, end: "clean" },
  }),
  sse("c34-no-done-required", "Where the marker is required, they are not.", {
    covers: ["C34"],
    content: c.ONE + c.finish("tool_calls") + c.usage(4),
    options: { closingMarker: "required" },
    expect: { ...refuses("STREAM_TRUNCATED", "tool_calls", c.ASIDE_A), end: "clean" },
  }),
  accepted(
    "c35-socket-stays-open",
    "What stands behind [DONE] is not read.",
    `${c.ONE}${c.CALLED}${c.chunk({ content: "late" })}: ping\n\n`,
  ),
  accepted(
    "c36-done-without-space",
    "[DONE] needs no space before it.",
    `${c.ONE}${c.finish("tool_calls")}data:[DONE]\n\n`,
  ),
  accepted(
    "c36-done-with-spaces",
    "Spaces around [DONE] are nothing.",
    `${c.ONE}${c.finish("tool_calls")}data:  [DONE]  \n\n`,
  ),
  sse("c36-done-prefix", "What only begins like [DONE] is no marker, and no JSON.", {
    covers: ["C36"],
    content: `${c.ONE}${c.finish("tool_calls")}data: [DONE] bye\n\n`,
    expect: { ...refuses("STREAM_MALFORMED", "tool_calls", c.ASIDE_A), end: "clean" },
  }),
  accepted(
    "c37-no-choices",
    "Chunks without a choice may come first, last and between.",
    c.data({ id: "", choices: [], prompt_filter_results: [] }) +
      c.ONE +
      c.data({ id: "chatcmpl-1", choices: [] }) +
      c.finish("tool_calls") +
      c.usage(9) +
      c.DONE,
  ),
  accepted(
    "c38-choice-without-delta",
    "A choice without a delta says nothing.",
    c.choice({ content_filter_offsets: { start_offset: 1 } }, { id: "" }) + c.ONE + c.CALLED,
  ),
  accepted(
    "c39-usage-on-the-finish",
    "Usage may stand on the finishing chunk.",
    c.ONE +
      c.choice({ delta: {}, finish_reason: "tool_calls" }, { usage: { completion_tokens: 4 } }) +
      c.DONE,
  ),
  sse("c39-usage-on-the-finish-at-the-cap", "And it counts there.", {
    covers: ["C39", "C16"],
    content:
      c.ONE +
      c.choice({ delta: {}, finish_reason: "tool_calls" }, { usage: { completion_tokens: 64 } }) +
      c.DONE,
    options: { maxOutputTokens: 64 },
    expect: { ...truncates("tool_calls", c.ASIDE_A), errorClass: "USAGE_AT_CAP" },
  }),
  sse(
    "c40-filter-in-the-middle",
    "A content filter in the middle of a call is a policy stop, with or without [DONE].",
    {
      covers: ["C40"],
      content: PARTIAL + c.finish("content_filter"),
      expect: { ...stops("content_filter", aside(call("call_1", "read_file", null))), end: "clean" },
    },
  ),
  ...(
    [
      ["object", { error: { message: "over" } }],
      ["text", { error: "over" }],
      ["beside-no-choices", { choices: [], error: { code: null, message: "over" } }],
    ] as const
  ).map(([name, value]) =>
    sse(`c41-error-${name}`, `An error (${name.replaceAll("-", " ")}) holds against every ending.`, {
      covers: ["C41"],
      content: c.ONE + c.data(value) + c.CALLED,
      expect: refuses("PROVIDER_ERROR", "tool_calls", c.ASIDE_A),
    }),
  ),
  sse("c41-error-after-finish", "An error between the finish and [DONE] holds, too.", {
    covers: ["C41"],
    content: c.ONE + c.finish("tool_calls") + c.data({ error: {} }) + c.DONE,
    expect: refuses("PROVIDER_ERROR", "tool_calls", c.ASIDE_A),
  }),
  accepted(
    "c41-error-null",
    "An error that is null is none.",
    c.choice({ delta: { tool_calls: [c.call(c.A, "read_file", '{"path":"a"}')] } }, { error: null }) +
      c.CALLED,
  ),
  body("c41-error", "An error body, in a list as some routes send it, is an error.", {
    covers: ["C41"],
    value: [{ error: { message: "no" } }],
    expect: { ...refuses("PROVIDER_ERROR", null), responseId: null },
  }),
  body("no-finish-reason", "A whole body that has not finished is indeterminate.", {
    covers: ["C32"],
    value: c.completion({ content: "hi" }, null),
    expect: refuses("STREAM_TRUNCATED", null, aside(c.MESSAGE, "ITEM_INCOMPLETE")),
  }),
  sse("unknown-event", "Frames that are no chunks are counted and ignored.", {
    covers: ["C53"],
    content: `${c.ONE}${c.data({ hologram: 1 })}event: hologram\ndata: {"a":1}\n\n${c.CALLED}`,
    expect: { ...RUNS, unknownEvents: 2 },
  }),
  sse("empty", "A normal end of nothing is complete, and flagged.", {
    covers: ["C56"],
    content: c.ROLE + c.finish("stop") + c.DONE,
    expect: { ...completes("stop"), flags: ["empty"] },
  }),
];
