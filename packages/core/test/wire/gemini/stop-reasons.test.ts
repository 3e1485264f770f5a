import { describe, expect, test } from "vitest";
import { ADAPTERS, type Observed, type RawSignal } from "@airlock/core/wire";

const NOTHING: Observed = { calls: 0, approvals: 0, providerExecuted: 0, refusal: false, errorCodes: [] };

function outcome(signal: RawSignal, observed: Partial<Observed>): string {
  const { kind, action, because } = ADAPTERS.gemini.normalize(signal, { ...NOTHING, ...observed });
  const text = action === null ? kind : `${kind}:${action}`;
  return because === undefined ? text : `${text} because ${because}`;
}

describe("the outcome of a finish reason of Gemini", () => {
  test.each([
    ["STOP", "candidate_complete"],
    ["MAX_TOKENS", "truncated"],
    ["CONTINUATION", "truncated"],
    ["SAFETY", "policy_stop"],
    ["RECITATION", "policy_stop"],
    ["BLOCKLIST", "policy_stop"],
    ["PROHIBITED_CONTENT", "policy_stop"],
    ["SPII", "policy_stop"],
    ["IMAGE_SAFETY", "policy_stop"],
    ["IMAGE_PROHIBITED_CONTENT", "policy_stop"],
    ["IMAGE_RECITATION", "policy_stop"],
    ["LANGUAGE", "policy_stop"],
    ["MALFORMED_FUNCTION_CALL", "indeterminate because CALL_MALFORMED"],
    ["UNEXPECTED_TOOL_CALL", "indeterminate because CALL_UNEXPECTED"],
    ["TOO_MANY_TOOL_CALLS", "indeterminate because TOO_MANY_CALLS"],
    ["NO_IMAGE", "indeterminate because PROVIDER_STOPPED"],
    ["IMAGE_OTHER", "indeterminate because PROVIDER_STOPPED"],
    ["OTHER", "indeterminate because PROVIDER_STOPPED"],
    ["FINISH_REASON_UNSPECIFIED", "indeterminate because SIGNAL_UNSPECIFIED"],
    ["MISSING_THOUGHT_SIGNATURE", "indeterminate because SIGNATURE_MISSING"],
    ["MALFORMED_RESPONSE", "indeterminate because RESPONSE_MALFORMED"],
    ["stop", "indeterminate"],
    ["constructor", "indeterminate"],
    ["", "indeterminate"],
  ])("%s is %s, and runs a call only if it is STOP", (status, expected) => {
    const signal = { status, reason: null };
    const calling = status === "STOP" ? "action_required:tool" : expected;
    expect(outcome(signal, {})).toBe(expected);
    expect(outcome(signal, { calls: 1 })).toBe(calling);
    expect(outcome(signal, { calls: 1, errorCodes: ["503"] })).toBe("indeterminate");
  });

  test.each([
    ["SAFETY", "policy_stop"],
    ["OTHER", "policy_stop"],
    ["BLOCKLIST", "policy_stop"],
    ["PROHIBITED_CONTENT", "policy_stop"],
    ["IMAGE_SAFETY", "policy_stop"],
    ["MODEL_ARMOR", "policy_stop"],
    ["JAILBREAK", "policy_stop"],
    ["BLOCKED_REASON_UNSPECIFIED", "policy_stop"],
    ["BLOCK_REASON_UNSPECIFIED", "policy_stop"],
    ["SOMETHING_NEW", "indeterminate"],
  ])("a prompt that is blocked by %s is %s", (reason, expected) => {
    expect(outcome({ status: "blockReason", reason }, {})).toBe(expected);
  });
});
