import { expect, test } from "vitest";
import { callHashSchema, type CallHash } from "@airlock/core/run";
import { refusalText } from "../../src/settlement/refusal-text.ts";

function told(fields: Readonly<Record<string, string>>): unknown {
  const base = {
    state: "POLICY_APPROVED",
    tool: "write_file",
    callId: "c",
    argumentsKind: "json",
    bytes: "1",
  };
  const call: CallHash = callHashSchema.parse({ ...base, ...fields });
  return JSON.parse(refusalText(call)) as unknown;
}

test.each<[string, Readonly<Record<string, string>>, unknown]>([
  [
    "a denied call tells which rules said so and why",
    {
      state: "DENIED",
      settled: "DENIED",
      errorClass: "POLICY_FORBIDDEN",
      detail: "no rule names this call",
      rules: '["no-match"]',
    },
    {
      status: "DENIED",
      executed: false,
      error: "POLICY_FORBIDDEN",
      meaning: "policy forbids the call",
      detail: "no rule names this call",
      rules: ["no-match"],
    },
  ],
  [
    "a call that a private rule denied tells neither the rule nor its reason, but the others",
    {
      state: "DENIED",
      settled: "DENIED",
      errorClass: "POLICY_FORBIDDEN",
      detail: "canary",
      rules: '["write","trap"]',
      policyDecision: JSON.stringify({
        decision: "forbid",
        winning: "trap",
        reason: "canary",
        policyDigest: "",
        matched: [
          { rule: "write", decision: "allow", reason: "writes" },
          { rule: "trap", decision: "forbid", reason: "canary", private: true },
        ],
        approval: null,
        shadow: null,
      }),
    },
    {
      status: "DENIED",
      executed: false,
      error: "POLICY_FORBIDDEN",
      meaning: "policy forbids the call",
      detail: "the reason is private",
      rules: ["write"],
    },
  ],
  [
    "a call that expired after its approval tells its end, not its decision",
    { settled: "EXPIRED", errorClass: "GRANT_EXPIRED" },
    { status: "EXPIRED", executed: false, error: "GRANT_EXPIRED", meaning: "the grant came too late" },
  ],
  [
    "of a call whose end was not seen it is not said that it did not run",
    { settled: "OUTCOME_UNKNOWN", errorClass: "OUTCOME_UNKNOWN" },
    {
      status: "OUTCOME_UNKNOWN",
      executed: "unknown",
      error: "OUTCOME_UNKNOWN",
      meaning: "the call began and its end was not seen",
    },
  ],
  [
    "a class that this build doesn't know has a meaning all the same",
    { settled: "CANCELLED", errorClass: "LATER_CLASS" },
    { status: "CANCELLED", executed: false, error: "LATER_CLASS", meaning: "the call did not run" },
  ],
])("%s", (_, fields, expected) => {
  expect(told(fields)).toEqual(expected);
});
