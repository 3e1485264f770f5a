import { describe, expect, test } from "vitest";
import { ADAPTERS, formatRawSignal, type Observed, type RawSignal } from "@airlock/core/wire";

const NOTHING: Observed = { calls: 0, approvals: 0, providerExecuted: 0, refusal: false, errorCodes: [] };

type Row = readonly [signal: string, observed: Partial<Observed>, outcome: string];

function signal(text: string): RawSignal {
  const [status = "", reason = null] = text.split(":");
  return { status, reason };
}

describe("the outcome of a Responses signal", () => {
  test.each<Row>([
    ["completed", {}, "candidate_complete"],
    ["completed", { calls: 2 }, "action_required:tool"],
    ["completed", { approvals: 1 }, "action_required:approve"],
    ["completed", { calls: 1, approvals: 1 }, "action_required:approve"],
    ["completed", { refusal: true }, "policy_stop"],
    ["completed", { calls: 1, refusal: true }, "action_required:tool"],
    ["completed", { errorCodes: ["server_error"] }, "indeterminate"],
    ["incomplete:max_output_tokens", {}, "truncated"],
    ["incomplete:max_output_tokens", { calls: 1 }, "truncated"],
    ["incomplete:max_output_tokens", { errorCodes: [null] }, "indeterminate"],
    ["incomplete:content_filter", {}, "policy_stop"],
    ["incomplete:content_filter", { errorCodes: ["bio_policy"] }, "indeterminate"],
    ["incomplete:something_new", {}, "indeterminate"],
    ["incomplete", {}, "indeterminate because SIGNAL_UNSPECIFIED"],
    ["failed", {}, "indeterminate because PROVIDER_STOPPED"],
    ["failed", { errorCodes: ["server_error"] }, "indeterminate because PROVIDER_STOPPED"],
    ["failed", { errorCodes: ["bio_policy"] }, "policy_stop"],
    ["failed", { errorCodes: ["image_content_policy_violation"] }, "policy_stop"],
    ["failed", { errorCodes: ["bio_policy", "server_error"] }, "indeterminate because PROVIDER_STOPPED"],
    ["failed", { errorCodes: ["bio_policy", null] }, "indeterminate because PROVIDER_STOPPED"],
    ["cancelled", { calls: 1 }, "indeterminate because RESPONSE_CANCELLED"],
    ["queued", { calls: 1 }, "indeterminate because SIGNAL_UNFINISHED"],
    ["in_progress", { calls: 1 }, "indeterminate because SIGNAL_UNFINISHED"],
    ["something_new", { calls: 1 }, "indeterminate"],
    ["constructor", { calls: 1 }, "indeterminate"],
    ["", {}, "indeterminate"],
  ])("%s with %j is %s", (text, observed, outcome) => {
    const normalized = ADAPTERS.responses.normalize(signal(text), { ...NOTHING, ...observed });
    const { kind, action, because } = normalized;
    const told = action === null ? kind : `${kind}:${action}`;
    expect(because === undefined ? told : `${told} because ${because}`).toBe(outcome);
  });

  test.each(["completed", "failed", "incomplete:max_output_tokens"])(
    "%s is written as it is read",
    (text) => {
      expect(formatRawSignal(signal(text))).toBe(text);
    },
  );
});
