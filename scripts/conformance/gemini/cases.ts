import { aside, body, call, completes, item, refuses, runs, sse, stops, truncates } from "../case.ts";
import type { ConformanceCase, Expectation } from "../case.ts";
import * as g from "./frames.ts";

const RUNS = runs("STOP", g.CALL_A);
const BOTH = runs("STOP", g.CALL_A, g.CALL_B);
const INCOMPLETE = aside(g.CALL_A, "ITEM_INCOMPLETE");

function accepted(name: string, title: string, content: string, expect: Expectation = RUNS): ConformanceCase {
  return sse(name, title, { covers: [name.slice(0, 3).toUpperCase()], content, expect });
}

const POLICY = [
  "SAFETY",
  "RECITATION",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
  "LANGUAGE",
];
const CUT = ["MAX_TOKENS", "CONTINUATION"];
const UNSAFE = [
  ["MALFORMED_FUNCTION_CALL", "CALL_MALFORMED"],
  ["UNEXPECTED_TOOL_CALL", "CALL_UNEXPECTED"],
  ["TOO_MANY_TOOL_CALLS", "TOO_MANY_CALLS"],
  ["NO_IMAGE", "PROVIDER_STOPPED"],
  ["IMAGE_OTHER", "PROVIDER_STOPPED"],
  ["OTHER", "PROVIDER_STOPPED"],
  ["FINISH_REASON_UNSPECIFIED", "SIGNAL_UNSPECIFIED"],
  ["MISSING_THOUGHT_SIGNATURE", "SIGNATURE_MISSING"],
  ["MALFORMED_RESPONSE", "RESPONSE_MALFORMED"],
  ["SOME_FUTURE_REASON", "SIGNAL_UNKNOWN"],
] as const;

const REASONS: readonly (readonly [string, Expectation])[] = [
  ["STOP", RUNS],
  ...CUT.map((reason) => [reason, truncates(reason, g.ASIDE_A)] as const),
  ...POLICY.map((reason) => [reason, stops(reason, g.ASIDE_A)] as const),
  ...UNSAFE.map(([reason, errorClass]) => [reason, refuses(errorClass, reason, g.ASIDE_A)] as const),
];

const OUTCOMES: readonly ConformanceCase[] = REASONS.flatMap(([reason, expect]) => {
  const name = `outcome-${reason.toLowerCase().replaceAll("_", "-")}`;
  const covers = reason === "MALFORMED_FUNCTION_CALL" || reason === "UNEXPECTED_TOOL_CALL" ? ["C74"] : [];
  return [
    sse(name, `The finish reason ${reason} behind a whole call.`, {
      covers,
      content: g.parts(g.read("a")) + g.finish(reason),
      expect,
    }),
    body(name, `The finish reason ${reason} beside a whole call, in a whole body.`, {
      covers,
      value: g.response([g.read("a")], reason),
      expect,
    }),
  ];
});

const BLOCKED: readonly ConformanceCase[] = (
  [
    ["SAFETY"],
    ["OTHER"],
    ["BLOCKLIST"],
    ["PROHIBITED_CONTENT"],
    ["IMAGE_SAFETY"],
    ["MODEL_ARMOR"],
    ["JAILBREAK"],
    ["BLOCK_REASON_UNSPECIFIED"],
    ["BLOCKED_REASON_UNSPECIFIED"],
    ["SOME_FUTURE_REASON", "SIGNAL_UNKNOWN"],
  ] as const
).flatMap(([reason, errorClass]) => {
  const name = `outcome-blocked-${reason.toLowerCase().replaceAll("_", "-")}`;
  const outcome = errorClass === undefined ? "a policy stop" : "indeterminate";
  const title = `A prompt that is blocked (${reason}) is ${outcome}`;
  const raw = `blockReason:${reason}`;
  const expect = errorClass === undefined ? stops(raw) : refuses(errorClass, raw);
  const promptFeedback = { blockReason: reason };
  return [
    sse(name, `${title}.`, { covers: [], content: g.chunk({ promptFeedback }), expect }),
    body(name, `${title}, in a whole body too.`, { covers: [], value: g.blocked(promptFeedback), expect }),
  ];
});

export const GEMINI_CASES: readonly ConformanceCase[] = [
  ...OUTCOMES,
  ...BLOCKED,
  sse("outcome-text", "Text alone completes.", {
    covers: [],
    content: g.parts({ text: "hi" }) + g.STOP,
    expect: completes("STOP", g.MESSAGE),
  }),
  body("outcome-text", "Text alone completes, as a whole body too.", {
    covers: [],
    value: g.response([{ text: "hi" }], "STOP"),
    expect: completes("STOP", g.MESSAGE),
  }),
  sse("outcome-nothing", "STOP without any part is complete, and flagged as empty.", {
    covers: ["C56"],
    content: g.STOP,
    expect: { ...completes("STOP"), flags: ["empty"] },
  }),
  sse("finish-reason-missing", "A clean end without a finish reason is indeterminate.", {
    covers: [],
    content: g.parts(g.read("a")),
    expect: refuses("STREAM_TRUNCATED", null, g.ASIDE_A),
  }),
  body("finish-reason-missing", "So is a whole body without one.", {
    covers: [],
    value: g.response([g.read("a")], null),
    expect: refuses("STREAM_TRUNCATED", null, g.ASIDE_A),
  }),
  sse("text-between-two-calls", "Text may stand between calls.", {
    covers: [],
    content: g.parts(g.read("a"), { text: "and " }, { text: "then" }, g.read("b")) + g.STOP,
    expect: runs("STOP", g.CALL_A, g.MESSAGE, g.CALL_B),
  }),
  sse("provider-executed", "What the provider runs itself is recorded and never executable.", {
    covers: [],
    content:
      g.parts(
        { executableCode: { language: "PYTHON", code: "1" } },
        { codeExecutionResult: { outcome: "OUTCOME_OK" } },
        { toolCall: { toolType: "GOOGLE_SEARCH" } },
      ) + g.STOP,
    expect: completes("STOP", item("provider_executed"), item("other"), item("provider_executed")),
  }),
  sse("thought", "Thoughts are kept, and decide nothing.", {
    covers: [],
    content: g.parts({ text: "hm", thought: true }, { ...g.read("a"), thoughtSignature: "sig" }) + g.STOP,
    expect: runs("STOP", item("reasoning"), g.CALL_A),
  }),
  sse("no-arguments", "A call without arguments has none.", {
    covers: ["C16"],
    content: g.parts(g.call({ name: "list_files" })) + g.STOP,
    expect: runs("STOP", call(null, "list_files", {})),
  }),
  accepted(
    "c71-parallel-calls",
    "Parallel calls may each be the first part of a chunk, with one signature for all.",
    g.parts({ ...g.read("a"), thoughtSignature: "sig" }) + g.parts(g.read("b")) + g.STOP,
    BOTH,
  ),
  accepted(
    "c71-resent",
    "The same call under the same id is one call.",
    g.parts(g.read("a", "call_1")) + g.parts(g.read("a", "call_1")) + g.STOP,
    runs("STOP", call("call_1", "read_file", { path: "a" })),
  ),
  sse("c71-id-reused", "Other arguments under the same id make the response indeterminate.", {
    covers: ["C71"],
    content: g.parts(g.read("a", "call_1")) + g.parts(g.read("b", "call_1")) + g.STOP,
    expect: refuses("IDENTITY_CONFLICT", "STOP", aside(call("call_1", "read_file", { path: "a" }))),
  }),
  sse("c71-ambiguous", "The same call in two chunks and no id: a retry and a second call look alike.", {
    covers: ["C71"],
    content: g.parts(g.read("a")) + g.parts(g.read("a")) + g.STOP,
    expect: refuses("IDENTITY_CONFLICT", "STOP", g.ASIDE_A, g.ASIDE_A),
  }),
  accepted(
    "c72-text-after-finish",
    "Text and usage may follow the finish reason.",
    g.parts(g.read("a")) +
      g.STOP +
      g.parts({ text: "late" }) +
      g.chunk({ usageMetadata: { promptTokenCount: 3 } }),
    runs("STOP", g.CALL_A, g.MESSAGE),
  ),
  sse("c72-call-after-finish", "A call must not.", {
    covers: ["C72"],
    content: g.parts(g.read("a")) + g.STOP + g.parts(g.read("b")),
    expect: refuses("EVENT_AFTER_FINISH", "STOP", g.ASIDE_A, g.ASIDE_B),
  }),
  accepted(
    "c73-finish-without-content",
    "The finishing chunk needs no content.",
    g.parts(g.read("a")) + g.chunk({ candidates: [{ finishReason: "STOP" }] }),
  ),
  accepted(
    "c76-partial-arguments",
    "Arguments in partial values are put together when the call is closed.",
    g.parts(g.OPENER) +
      g.parts(g.fragment(g.piece("$.path", "a", true))) +
      g.parts(g.fragment(g.piece("$.path", "b"))) +
      g.parts(g.CLOSER) +
      g.STOP,
    runs("STOP", call(null, "read_file", { path: "ab" })),
  ),
  accepted(
    "c76-opener-closed-at-once",
    "A call that is opened and closed without a value has no arguments.",
    g.parts(g.OPENER) + g.parts(g.CLOSER) + g.STOP,
    runs("STOP", call(null, "read_file", {})),
  ),
  accepted(
    "c76-last-piece-closes",
    "The part that no longer continues may carry the last value.",
    g.parts(g.OPENER) + g.parts(g.call({ partialArgs: [g.piece("$.path", "a")] })) + g.STOP,
  ),
  sse("c76-orphan", "A partial value without a call makes the response indeterminate.", {
    covers: ["C76"],
    content: g.parts(g.fragment(g.piece("$.path", "a"))) + g.parts(g.read("b")) + g.STOP,
    expect: refuses("EVENT_ORDER", "STOP", g.ASIDE_B),
  }),
  sse("c76-never-closed", "A call that is never closed makes it indeterminate.", {
    covers: ["C76"],
    content: g.parts(g.OPENER) + g.parts(g.fragment(g.piece("$.path", "a"))) + g.STOP,
    expect: refuses("ITEM_INCOMPLETE", "STOP", INCOMPLETE),
  }),
  sse("c76-never-closed-at-the-limit", "At the limit it truncates, and does not run.", {
    covers: ["C76", "C44"],
    content: g.parts(g.OPENER) + g.parts(g.fragment(g.piece("$.path", "a", true))) + g.finish("MAX_TOKENS"),
    expect: truncates("MAX_TOKENS", INCOMPLETE),
  }),
  sse("c77-fragmented-name", "Pieces of a call without the protocol for pieces are nobody's.", {
    covers: ["C77"],
    content: g.parts(g.read("a")) + g.parts(g.call({ args: { line: 1 } })) + g.STOP,
    expect: refuses("EVENT_ORDER", "STOP", g.ASIDE_A),
  }),
  sse("c77-arguments-as-text", "Arguments that are a piece of text are no arguments.", {
    covers: ["C77"],
    content: g.parts(g.call({ name: "read_file", args: '{"path":' })) + g.STOP,
    expect: refuses("STREAM_MALFORMED", "STOP"),
  }),
  sse("several-candidates", "Of several candidates nobody said which one counts.", {
    covers: [],
    content: g.chunk({ candidates: [{ content: { parts: [g.read("a")] } }, { index: 1 }] }) + g.STOP,
    expect: refuses("IDENTITY_CONFLICT", "STOP"),
  }),
  sse("two-finish-reasons", "Two different finish reasons are a conflict.", {
    covers: [],
    content: g.parts(g.read("a")) + g.finish("OTHER") + g.STOP,
    expect: refuses("SIGNAL_CONFLICT", "OTHER", g.ASIDE_A),
  }),
  sse("error-after-finish", "An error holds, even after the finish reason.", {
    covers: ["C41"],
    content: `${g.parts(g.read("a"))}${g.STOP}data: {"error":{"code":500,"message":"over","status":"INTERNAL"}}\n\n`,
    expect: refuses("PROVIDER_ERROR", "STOP", g.ASIDE_A),
  }),
  body("error-in-a-list", "An error body in a list is an error.", {
    covers: ["C88"],
    value: [{ error: { code: 503, message: "over", status: "UNAVAILABLE" } }],
    expect: { ...refuses("PROVIDER_ERROR", null), responseId: null },
  }),
  sse("usage-at-the-cap", "A normal end that used the whole budget, thoughts included, was cut in truth.", {
    covers: ["C16"],
    content:
      g.parts(g.read("a")) +
      g.chunk({ usageMetadata: { candidatesTokenCount: 4, thoughtsTokenCount: 60 } }) +
      g.STOP,
    options: { maxOutputTokens: 64 },
    expect: { ...truncates("STOP", g.ASIDE_A), errorClass: "USAGE_AT_CAP" },
  }),
  sse("unknown-event", "Chunks that say nothing known are counted and ignored.", {
    covers: ["C53"],
    content: `${g.parts(g.read("a"))}data: {"hologram":1}\n\nevent: hologram\ndata: {"a":1}\n\n${g.STOP}`,
    expect: { ...RUNS, unknownEvents: 2 },
  }),
];
