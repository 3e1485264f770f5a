import { aside, body, call, completes, item, refuses, runs, sse, textCall, truncates } from "../case.ts";
import type { ConformanceCase } from "../case.ts";
import * as r from "./frames.ts";
import { OUTCOMES } from "./outcomes.ts";

const NUMBERED = r.FINISHED + r.COMPLETED;

/** What the protocol itself says: its items, and every way in which a response of it can end. */
export const PROTOCOL: readonly ConformanceCase[] = [
  ...OUTCOMES,
  sse("call", "A call by the book, every event numbered, runs.", {
    covers: [],
    content: numbered(NUMBERED),
    expect: runs("completed", r.CALL_A),
  }),
  body("call", "A whole response with one call runs like its stream.", {
    covers: [],
    value: r.response([r.A]),
    expect: runs("completed", r.CALL_A),
  }),
  sse("custom-call", "A custom tool call carries free text, which is whatever it is.", {
    covers: [],
    content:
      r.CREATED +
      r.added(0, { type: "custom_tool_call", call_id: "call_1", name: "sql", input: "" }) +
      r.frame("response.custom_tool_call_input.delta", { output_index: 0, delta: "SELECT {" }) +
      r.frame("response.custom_tool_call_input.done", { output_index: 0, input: "SELECT {" }) +
      r.done(0, { type: "custom_tool_call", call_id: "call_1", name: "sql", input: "SELECT {" }) +
      r.COMPLETED,
    expect: runs("completed", textCall("call_1", "sql", "SELECT {")),
  }),
  sse(
    "text-between-two-calls",
    "Text stands between two calls whose pieces interleave: all three are whole.",
    {
      covers: [],
      content:
        r.CREATED +
        r.added(0, r.functionCall({ arguments: "" })) +
        r.delta(0, '{"path"') +
        r.added(1, r.message("", { content: [], status: "in_progress" })) +
        r.frame("response.output_text.delta", { output_index: 1, delta: "Reading" }) +
        r.added(2, { ...r.B, arguments: "" }) +
        r.delta(2, '{"path":') +
        r.delta(0, ':"a"}') +
        r.done(1, r.message("Reading")) +
        r.delta(2, '"b"}') +
        r.done(2, r.B) +
        r.done(0, r.A) +
        r.COMPLETED,
      expect: runs("completed", r.CALL_A, r.MESSAGE, r.CALL_B),
    },
  ),
  sse("built-in-client-calls", "Calls of the provider's client tools are calls named by their type.", {
    covers: [],
    content:
      r.CREATED +
      r.done(0, { type: "local_shell_call", call_id: "c0", action: { command: ["ls"] } }) +
      r.done(1, { type: "shell_call", call_id: "c1", action: { commands: ["ls"] }, status: "completed" }) +
      r.done(2, { type: "apply_patch_call", call_id: "c2", operation: { type: "delete_file", path: "a" } }) +
      r.done(3, { type: "tool_search_call", call_id: "c3", execution: "client", arguments: { goal: "g" } }) +
      r.COMPLETED,
    options: { tools: ["read_file"] },
    expect: runs(
      "completed",
      aside(call("c0", "local_shell_call", { command: ["ls"] }), "TOOL_UNKNOWN"),
      aside(call("c1", "shell_call", { commands: ["ls"] }), "TOOL_UNKNOWN"),
      aside(call("c2", "apply_patch_call", { type: "delete_file", path: "a" }), "TOOL_UNKNOWN"),
      aside(call("c3", "tool_search_call", { goal: "g" }), "TOOL_UNKNOWN"),
    ),
  }),
  sse("provider-executed", "What the provider runs itself is recorded and never executable.", {
    covers: [],
    content:
      r.CREATED +
      r.done(0, { type: "web_search_call", id: "ws_1", status: "completed" }) +
      r.done(1, { type: "mcp_call", id: "mcp_1", name: "delete_all", arguments: "{}", status: "completed" }) +
      r.done(2, { type: "shell_call", call_id: "c", action: {}, environment: { type: "container_auto" } }) +
      r.done(3, r.message("found")) +
      r.COMPLETED,
    expect: completes(
      "completed",
      item("provider_executed"),
      item("provider_executed"),
      item("provider_executed"),
      r.MESSAGE,
    ),
  }),
  sse("approval-request", "A hosted tool that asks for approval comes before a call: nothing runs yet.", {
    covers: [],
    content:
      r.CREATED +
      r.done(0, { type: "mcp_approval_request", id: "mcpr_1", name: "x", arguments: "{}" }) +
      r.done(1, r.B) +
      r.COMPLETED,
    expect: runs("completed", { ...call("mcpr_1", "x", {}), kind: "provider_executed" }, r.ASIDE_B),
  }),
  body("approval-request", "It does in a whole body, too.", {
    covers: [],
    value: r.response([{ type: "mcp_approval_request", id: "mcpr_1", name: "x", arguments: "{}" }, r.B]),
    expect: runs("completed", { ...call("mcpr_1", "x", {}), kind: "provider_executed" }, r.ASIDE_B),
  }),
  sse("reasoning", "Reasoning and items of unknown types are kept, and decide nothing.", {
    covers: [],
    content:
      r.CREATED +
      r.done(0, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" }) +
      r.done(1, { type: "some_future_item", id: "x_1" }) +
      r.done(2, r.A) +
      r.COMPLETED,
    expect: runs("completed", item("reasoning"), item("other"), r.CALL_A),
  }),
  sse("outcome-text", "Text alone completes.", {
    covers: [],
    content: r.CREATED + r.done(0, r.message("hi")) + r.COMPLETED,
    expect: completes("completed", r.MESSAGE),
  }),
  body("outcome-text", "Text alone completes, as a whole body too.", {
    covers: [],
    value: r.response([r.message("hi")]),
    expect: completes("completed", r.MESSAGE),
  }),
  ...(
    [
      ["cancelled", "RESPONSE_CANCELLED"],
      ["queued", "SIGNAL_UNFINISHED"],
      ["in_progress", "SIGNAL_UNFINISHED"],
      ["some_future_status", "SIGNAL_UNKNOWN"],
    ] as const
  ).map(([status, errorClass]) =>
    body(
      `outcome-${status.replaceAll("_", "-")}`,
      `A whole response whose status is ${status} is indeterminate.`,
      {
        covers: [],
        value: r.response([r.A], { status }),
        expect: refuses(errorClass, status, r.ASIDE_A),
      },
    ),
  ),
  body("status-missing", "A whole body without a status is no response.", {
    covers: [],
    value: { ...r.response([r.A]), status: undefined },
    expect: { ...refuses("STREAM_MALFORMED", null), responseId: null },
  }),
  sse("error-before-the-end", "An error event before the closing one holds, whatever the closing one says.", {
    covers: [],
    content: r.FINISHED + r.frame("error", { code: "server_error", message: "over" }) + r.COMPLETED,
    expect: refuses("PROVIDER_ERROR", "completed", r.ASIDE_A),
  }),
  sse("error-nested", "An error event with its error nested holds as well.", {
    covers: [],
    content: r.FINISHED + r.frame("error", { error: { type: "x", code: "y", message: "z" } }) + r.COMPLETED,
    expect: refuses("PROVIDER_ERROR", "completed", r.ASIDE_A),
  }),
  body("error", "An error body is an error.", {
    covers: ["C88"],
    value: { error: { code: "invalid_api_key", message: "no" } },
    expect: { ...refuses("PROVIDER_ERROR", null), responseId: null },
  }),
  sse("final-event-omitted", "Without the closing event nothing counts, whole or not.", {
    covers: [],
    content: r.FINISHED,
    expect: { ...refuses("STREAM_TRUNCATED", null, r.ASIDE_A), end: "clean" },
  }),
  sse("item-status-incomplete", "An item that says it was cut makes a completed response indeterminate.", {
    covers: [],
    content: r.OPENED + r.done(0, r.functionCall({ status: "incomplete" })) + r.COMPLETED,
    expect: refuses("ITEM_INCOMPLETE", "completed", aside(r.CALL_A, "ITEM_INCOMPLETE")),
  }),
  sse("usage-at-the-cap", "A completed response that used the whole budget was cut in truth.", {
    covers: ["C16"],
    content: r.FINISHED + r.ended("completed", { usage: { input_tokens: 1, output_tokens: 64 } }),
    options: { maxOutputTokens: 64 },
    expect: { ...truncates("completed", r.ASIDE_A), errorClass: "USAGE_AT_CAP" },
  }),
  sse("calls-announced-and-absent", "Calls that only the closing event knows never arrived.", {
    covers: ["C45"],
    content: r.CREATED + r.ended("completed", { output: [r.A] }),
    expect: refuses("CALLS_ABSENT", "completed"),
  }),
  sse("signals-conflict", "A closing event whose snapshot has another status contradicts itself.", {
    covers: [],
    content: r.FINISHED + r.frame("response.completed", { response: { id: "resp_1", status: "incomplete" } }),
    expect: refuses("SIGNAL_CONFLICT", "completed", r.ASIDE_A),
  }),
];

function numbered(stream: string): string {
  let next = 0;
  return stream.replaceAll(/^data: \{/gm, () => `data: {"sequence_number":${next++},`);
}
