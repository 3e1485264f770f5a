import { aside, body, call, completes, item, refuses, runs, sse, truncates } from "../case.ts";
import type { ConformanceCase, Expectation } from "../case.ts";
import * as a from "./frames.ts";

const PATH = '{"path":"a"}';
const RUNS = runs("tool_use", a.CALL_A);
const INCOMPLETE = aside(a.CALL_A, "ITEM_INCOMPLETE");
const PROVIDED = item("provider_executed");
const SERVER_TOOL = { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} };

function accepted(name: string, title: string, content: string, expect: Expectation = RUNS): ConformanceCase {
  return sse(name, title, { covers: [name.slice(0, 3).toUpperCase()], content, expect });
}

/** The protocol's items, and what gateways make of them. */
export const BLOCKS: readonly ConformanceCase[] = [
  sse("text-between-two-calls", "Text stands between two calls whose blocks overlap: all three are whole.", {
    covers: [],
    content:
      a.STARTED +
      a.start(0, a.toolUse()) +
      a.json(0, '{"path"') +
      a.text(1, "Read", "ing") +
      a.start(2, a.toolUse({ id: "call_2" })) +
      a.json(2, '{"path":') +
      a.json(0, ':"a"}') +
      a.json(2, '"b"}') +
      a.stop(2) +
      a.stop(0) +
      a.ENDED,
    expect: runs("tool_use", a.CALL_A, a.MESSAGE, a.CALL_B),
  }),
  sse(
    "provider-tool-pending",
    "Where only the provider's own tool still runs, the conversation is continued.",
    {
      covers: [],
      content: a.STARTED + a.start(0, SERVER_TOOL) + a.stop(0) + a.ENDED,
      expect: runs("tool_use", PROVIDED),
    },
  ),
  sse("provider-executed", "What the provider runs itself is recorded and never executable.", {
    covers: [],
    content:
      a.STARTED +
      a.start(0, SERVER_TOOL) +
      a.stop(0) +
      a.start(1, { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] }) +
      a.stop(1) +
      a.start(2, { type: "mcp_tool_use", id: "mcp_1", name: "delete_all", server_name: "s", input: {} }) +
      a.stop(2) +
      a.text(3, "found") +
      a.stopReason("end_turn") +
      a.STOPPED,
    expect: completes("end_turn", PROVIDED, item("other"), PROVIDED, a.MESSAGE),
  }),
  sse("thinking", "Thinking is kept with its signature, and decides nothing.", {
    covers: [],
    content:
      a.STARTED +
      a.start(0, { type: "thinking", thinking: "", signature: "" }) +
      a.delta(0, { type: "thinking_delta", thinking: "hm" }) +
      a.delta(0, { type: "signature_delta", signature: "sig" }) +
      a.stop(0) +
      a.call(1, {}, PATH) +
      a.ENDED,
    expect: runs("tool_use", item("reasoning"), a.CALL_A),
  }),
  accepted(
    "c57-input-at-the-start",
    "The whole input in the opening event is taken where no piece follows.",
    a.STARTED + a.call(0, { input: { path: "a" } }) + a.ENDED,
  ),
  accepted(
    "c57-same-input-twice",
    "The same input in the opening event and in pieces is one.",
    a.STARTED + a.call(0, { input: { path: "a" } }, '{"path": ', '"a"}') + a.ENDED,
  ),
  sse("c57-two-inputs", "Two different inputs are nobody's.", {
    covers: ["C57"],
    content: a.STARTED + a.call(0, { input: { path: "b" } }, PATH) + a.ENDED,
    expect: refuses("ARGUMENTS_MISMATCH", "tool_use", aside(a.CALL_A, "ARGUMENTS_MISMATCH")),
  }),
  accepted(
    "c58-no-pieces",
    "A call without any piece has no arguments.",
    a.STARTED + a.call(0, {}) + a.ENDED,
    runs("tool_use", call("call_1", "read_file", {})),
  ),
  accepted(
    "c58-empty-first-piece",
    "An empty first piece is nothing.",
    a.STARTED + a.call(0, {}, "", PATH) + a.ENDED,
  ),
  accepted(
    "c59-no-input-field",
    "The opening event may lack its empty input.",
    a.STARTED + a.call(0, { input: undefined }, PATH) + a.ENDED,
  ),
  sse(
    "c60-no-message-stop",
    "Where the marker is optional, a stop reason, closed blocks and a clean end are enough.",
    {
      covers: ["C60"],
      content: `${a.STARTED}${a.ONE}${a.stopReason("tool_use")}${a.frame("ping")}`,
      expect: { ...RUNS, end: "clean" },
    },
  ),
  sse("c60-no-message-stop-required", "Where the marker is required, they are not.", {
    covers: ["C60"],
    content: a.STARTED + a.ONE + a.stopReason("tool_use"),
    options: { closingMarker: "required" },
    expect: { ...refuses("STREAM_TRUNCATED", "tool_use", a.ASIDE_A), end: "clean" },
  }),
  sse("c60-open-block", "With a block left open they are not, either.", {
    covers: ["C60"],
    content:
      a.STARTED + a.ONE + a.start(1, a.toolUse({ id: "call_2" })) + a.json(1, "{") + a.stopReason("tool_use"),
    expect: {
      ...refuses("ITEM_INCOMPLETE", "tool_use", a.ASIDE_A, aside(a.CALL_B, "ITEM_INCOMPLETE")),
      end: "clean",
    },
  }),
  sse("c61-no-ends-at-all", "Without any ending nothing counts.", {
    covers: ["C61"],
    content: a.STARTED + a.start(0, a.toolUse()) + a.json(0, PATH),
    expect: { ...refuses("STREAM_TRUNCATED", null, INCOMPLETE), end: "clean" },
  }),
  sse("c61-no-stop-reason", "The marker without a stop reason ends nothing.", {
    covers: ["C61"],
    content: a.STARTED + a.ONE + a.STOPPED,
    expect: refuses("STREAM_TRUNCATED", null, a.ASIDE_A),
  }),
  accepted(
    "c62-stop-reason-before-block-stop",
    "A block may be closed after the stop reason.",
    a.STARTED + a.start(0, a.toolUse()) + a.json(0, PATH) + a.stopReason("tool_use") + a.stop(0) + a.STOPPED,
  ),
  accepted(
    "c62-stray-stop",
    "The end of a block that never was is nothing.",
    a.STARTED + a.stop(7) + a.ONE + a.ENDED,
  ),
  sse(
    "c62-never-stopped",
    "A call that is never closed makes the response indeterminate, with its sibling.",
    {
      covers: ["C62"],
      content: a.STARTED + a.start(0, a.toolUse()) + a.json(0, PATH) + a.TWO + a.ENDED,
      expect: refuses("ITEM_INCOMPLETE", "tool_use", INCOMPLETE, a.ASIDE_B),
    },
  ),
  sse("c62-thinking-never-stopped", "So does thinking that is never closed.", {
    covers: ["C62"],
    content: a.STARTED + a.start(0, { type: "thinking", thinking: "" }) + a.TWO + a.ENDED,
    expect: refuses("ITEM_INCOMPLETE", "tool_use", aside(item("reasoning"), "ITEM_INCOMPLETE"), a.ASIDE_B),
  }),
  accepted(
    "c63-indices-with-gaps",
    "An index is a key, and no position.",
    a.STARTED + a.call(1, {}, PATH) + a.call(5, { id: "call_2" }, '{"path":"b"}') + a.ENDED,
    runs("tool_use", a.CALL_A, a.CALL_B),
  ),
  accepted(
    "c65-several-message-deltas",
    "Of several deltas the last stop reason that is there counts.",
    a.STARTED + a.ONE + a.stopReason(null) + a.stopReason("tool_use") + a.stopReason(null) + a.STOPPED,
  ),
  sse("c65-two-stop-reasons", "Two different stop reasons are a conflict.", {
    covers: ["C65"],
    content: a.STARTED + a.ONE + a.stopReason("end_turn") + a.ENDED,
    expect: refuses("SIGNAL_CONFLICT", "end_turn", a.ASIDE_A),
  }),
  sse("c69-premature-stop", "Arguments that a premature end has cut make the response indeterminate.", {
    covers: ["C69"],
    content: a.STARTED + a.call(0, {}, '{"path":"a') + a.TWO + a.ENDED,
    expect: refuses("JSON_TRUNCATED", "tool_use", aside(call("call_1", "read_file", null)), a.ASIDE_B),
  }),
  accepted(
    "c70-no-event-lines",
    "The type in the data is enough.",
    (a.STARTED + a.ONE + a.ENDED).replaceAll(/^event: .*\n/gm, ""),
  ),
  sse("error-after-stop-reason", "An error holds, even after a stop reason.", {
    covers: ["C41"],
    content:
      a.STARTED +
      a.ONE +
      a.stopReason("tool_use") +
      a.frame("error", { error: { type: "overloaded_error", message: "over" } }) +
      a.STOPPED,
    expect: refuses("PROVIDER_ERROR", "tool_use", a.ASIDE_A),
  }),
  sse("delta-after-stop-reason", "Content behind the stop reason makes the response indeterminate.", {
    covers: [],
    content: a.STARTED + a.ONE + a.stopReason("tool_use") + a.TWO + a.STOPPED,
    expect: refuses("EVENT_AFTER_FINISH", "tool_use", a.ASIDE_A, a.ASIDE_B),
  }),
  sse("usage-at-the-cap", "A normal end that used the whole budget was cut in truth.", {
    covers: ["C16"],
    content: a.STARTED + a.ONE + a.stopReason("tool_use", { usage: { output_tokens: 64 } }) + a.STOPPED,
    options: { maxOutputTokens: 64 },
    expect: { ...truncates("tool_use", a.ASIDE_A), errorClass: "USAGE_AT_CAP" },
  }),
  sse("unknown-event", "Events and deltas of unknown types are counted and ignored.", {
    covers: ["C53"],
    content:
      a.STARTED +
      a.frame("hologram") +
      a.start(0, a.toolUse()) +
      a.delta(0, { type: "hint_delta", hint: 1 }) +
      a.json(0, PATH) +
      a.stop(0) +
      a.ENDED,
    expect: { ...RUNS, unknownEvents: 2 },
  }),
  sse(
    "unknown-delta-with-input",
    "A delta of an unknown type that carries a piece of an input can't be ignored.",
    {
      covers: ["C53"],
      content:
        a.STARTED +
        a.start(0, a.toolUse()) +
        a.delta(0, { type: "input_json_delta_v2", partial_json: PATH }) +
        a.stop(0) +
        a.ENDED,
      expect: refuses("STREAM_MALFORMED", "tool_use", aside(call("call_1", "read_file", {}))),
    },
  ),
  sse("delta-without-type", "Nor can a delta that doesn't say what it is.", {
    covers: [],
    content: a.STARTED + a.start(0, a.toolUse()) + a.delta(0, { partial_json: PATH }) + a.stop(0) + a.ENDED,
    expect: refuses("STREAM_MALFORMED", "tool_use", aside(call("call_1", "read_file", {}))),
  }),
  body("error", "An error body is an error.", {
    covers: ["C88"],
    value: { type: "error", error: { type: "authentication_error", message: "no" } },
    expect: { ...refuses("PROVIDER_ERROR", null), responseId: null },
  }),
  body("no-stop-reason", "A whole body that has not stopped is indeterminate.", {
    covers: ["C61"],
    value: a.message([{ type: "text", text: "hi" }], null),
    expect: refuses("STREAM_TRUNCATED", null, aside(a.MESSAGE)),
  }),
  sse("empty", "A normal end of nothing is complete, and flagged.", {
    covers: ["C56"],
    content: a.STARTED + a.stopReason("end_turn") + a.STOPPED,
    expect: { ...completes("end_turn"), flags: ["empty"] },
  }),
];
