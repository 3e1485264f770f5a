import { describe, expect, test } from "vitest";
import { ADAPTERS, type Observed } from "@airlock/core/wire";

const NOTHING: Observed = { calls: 0, approvals: 0, providerExecuted: 0, refusal: false, errorCodes: [] };

type Row = readonly [reason: string, observed: Partial<Observed>, outcome: string];

describe("the outcome of a Chat finish reason", () => {
  test.each<Row>([
    ["stop", {}, "candidate_complete"],
    ["stop", { calls: 2 }, "action_required:tool"],
    ["stop", { refusal: true }, "policy_stop"],
    ["stop", { errorCodes: [null] }, "indeterminate"],
    ["tool_calls", { calls: 1 }, "action_required:tool"],
    ["tool_calls", {}, "indeterminate because CALLS_ABSENT"],
    ["tool_calls", { calls: 1, errorCodes: ["x"] }, "indeterminate"],
    ["function_call", { calls: 1 }, "action_required:tool"],
    ["function_call", {}, "indeterminate because CALLS_ABSENT"],
    ["tool_use", { calls: 1 }, "action_required:tool"],
    ["tool_use", {}, "indeterminate because CALLS_ABSENT"],
    ["length", { calls: 1 }, "truncated"],
    ["max_tokens", {}, "truncated"],
    ["content_filter", { calls: 1 }, "policy_stop"],
    ["content_filter", { errorCodes: [null] }, "indeterminate"],
    ["SAFETY", {}, "policy_stop"],
    ["sensitive", {}, "policy_stop"],
    ...["", "Stop", "constructor"].map((reason): Row => [reason, { calls: 1 }, "indeterminate"]),
    ...[
      "BLOCKLIST",
      "LANGUAGE",
      "MAX_TOKENS",
      "OTHER",
      "PROHIBITED_CONTENT",
      "RECITATION",
      "SPII",
      "STOP",
      "end_turn",
      "model_context_window_exceeded",
      "pause_turn",
      "refusal",
      "stop_sequence",
    ].map((reason): Row => [reason, { calls: 1 }, "indeterminate because SIGNAL_FOREIGN"]),
    ...[
      "abort",
      "aborted",
      "error",
      "insufficient_system_resource",
      "network_error",
      "other",
      "repetition",
      "unknown",
    ].map((reason): Row => [reason, { calls: 1 }, "indeterminate because PROVIDER_STOPPED"]),
    ["MALFORMED_FUNCTION_CALL", { calls: 1 }, "indeterminate because CALL_MALFORMED"],
    ["UNEXPECTED_TOOL_CALL", { calls: 1 }, "indeterminate because CALL_UNEXPECTED"],
    ["stop", { nativeReason: "STOP" }, "candidate_complete"],
    ["stop", { nativeReason: "some_word" }, "candidate_complete"],
    ["stop", { nativeReason: "stop_sequence" }, "candidate_complete"],
    ["stop", { nativeReason: "max_tokens" }, "indeterminate because SIGNAL_CONFLICT"],
    ["stop", { nativeReason: "SAFETY" }, "indeterminate because SIGNAL_CONFLICT"],
    ["stop", { nativeReason: "MALFORMED_FUNCTION_CALL" }, "indeterminate because CALL_MALFORMED"],
    ["stop", { nativeReason: "constructor" }, "candidate_complete"],
    ["tool_calls", { calls: 1, nativeReason: "tool_use" }, "action_required:tool"],
    ["tool_calls", { calls: 1, nativeReason: "MAX_TOKENS" }, "indeterminate because SIGNAL_CONFLICT"],
    ["tool_calls", { calls: 1, nativeReason: "error" }, "indeterminate because PROVIDER_STOPPED"],
    ["length", { nativeReason: "MAX_TOKENS" }, "truncated"],
    ["content_filter", { nativeReason: "SAFETY" }, "policy_stop"],
  ])("%s with %j is %s", (reason, observed, expected) => {
    const outcome = ADAPTERS.chat.normalize({ status: reason, reason: null }, { ...NOTHING, ...observed });
    const { kind, action, because } = outcome;
    const text = action === null ? kind : `${kind}:${action}`;
    expect(because === undefined ? text : `${text} because ${because}`).toBe(expected);
  });
});
