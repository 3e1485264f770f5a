import { describe, expect, test } from "vitest";
import { ADAPTERS, type Observed } from "@airlock/core/wire";

const NOTHING: Observed = { calls: 0, approvals: 0, providerExecuted: 0, refusal: false, errorCodes: [] };

type Row = readonly [reason: string, observed: Partial<Observed>, outcome: string, because: string | null];

describe("the outcome of a stop reason of Messages", () => {
  test.each<Row>([
    ["end_turn", {}, "candidate_complete", null],
    ["end_turn", { providerExecuted: 2 }, "candidate_complete", null],
    ["end_turn", { calls: 1 }, "indeterminate", "SIGNAL_CONFLICT"],
    ["end_turn", { errorCodes: ["api_error"] }, "indeterminate", null],
    ["stop_sequence", {}, "candidate_complete", null],
    ["stop_sequence", { calls: 1 }, "indeterminate", "SIGNAL_CONFLICT"],
    ["tool_use", { calls: 1 }, "action_required:tool", null],
    ["tool_use", { calls: 1, providerExecuted: 1 }, "action_required:tool", null],
    ["tool_use", { calls: 1, errorCodes: [null] }, "indeterminate", null],
    ["tool_use", { providerExecuted: 1 }, "action_required:continue", null],
    ["tool_use", {}, "indeterminate", "CALLS_ABSENT"],
    ["max_tokens", {}, "truncated", null],
    ["max_tokens", { calls: 1 }, "truncated", null],
    ["model_context_window_exceeded", { calls: 1 }, "truncated", "CONTEXT_FULL"],
    ["pause_turn", { providerExecuted: 1 }, "action_required:continue", null],
    ["pause_turn", { calls: 1 }, "indeterminate", "SIGNAL_CONFLICT"],
    ["refusal", {}, "policy_stop", null],
    ["refusal", { calls: 1 }, "policy_stop", null],
    ["refusal", { errorCodes: ["api_error"] }, "indeterminate", null],
    ["compaction", {}, "indeterminate", "SIGNAL_UNREQUESTED"],
    ["terminated", {}, "indeterminate", null],
    ["constructor", { calls: 1 }, "indeterminate", null],
    ["", {}, "indeterminate", null],
  ])("%s with %j is %s", (...[status, observed, outcome, because]) => {
    const signal = { status, reason: null };
    const normalized = ADAPTERS.anthropic.normalize(signal, { ...NOTHING, ...observed });
    const { kind, action } = normalized;
    expect([action === null ? kind : `${kind}:${action}`, normalized.because ?? null]).toEqual([
      outcome,
      because,
    ]);
  });
});
