import { expect, test } from "vitest";
import { CALL_ADVICE, ERROR_CLASSES, namesOf, type CallClass } from "@airlock/core/fault";
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
    "a denied call tells which rule said so, why, and what to do instead; of other rules nothing",
    {
      state: "DENIED",
      settled: "DENIED",
      errorClass: "POLICY_FORBIDDEN",
      detail: "no rule names this call",
      decision: "forbid",
      rule: "no-match",
      rules: '["internal-notice","no-match"]',
    },
    {
      status: "DENIED",
      executed: false,
      error: "POLICY_FORBIDDEN",
      meaning: "policy forbids the call",
      detail: "no rule names this call",
      rule: "no-match",
      advice: CALL_ADVICE.POLICY_FORBIDDEN,
    },
  ],
  [
    "a rule that keeps its reason to itself is named without one",
    {
      state: "QUARANTINED",
      settled: "QUARANTINED",
      errorClass: "POLICY_QUARANTINED",
      decision: "quarantine",
      rule: "release-files",
    },
    {
      status: "QUARANTINED",
      executed: false,
      error: "POLICY_QUARANTINED",
      meaning: "policy sets the call aside",
      rule: "release-files",
      advice: CALL_ADVICE.POLICY_QUARANTINED,
    },
  ],
  [
    "a call that the schema refuses names pointer and keyword, and no rule",
    {
      state: "QUARANTINED",
      settled: "QUARANTINED",
      errorClass: "SCHEMA_VIOLATION",
      detail: "the schema refuses at /path (type: must be string)",
    },
    {
      status: "QUARANTINED",
      executed: false,
      error: "SCHEMA_VIOLATION",
      meaning: "the registered schema refuses the arguments",
      detail: "the schema refuses at /path (type: must be string)",
      advice: "Correct the arguments at the place that `detail` names, and send the call again.",
    },
  ],
  [
    "a call that was cut is to be sent again whole, in smaller pieces",
    { state: "QUARANTINED", settled: "QUARANTINED", errorClass: "JSON_TRUNCATED", detail: "at offset 11" },
    {
      status: "QUARANTINED",
      executed: false,
      error: "JSON_TRUNCATED",
      meaning: "the text ends before the value does",
      detail: "at offset 11",
      advice: expect.stringMatching(/cut off .* again whole; .* smaller/),
    },
  ],
  [
    "a call that a private rule denied tells neither the rule nor its reason",
    {
      state: "DENIED",
      settled: "DENIED",
      errorClass: "POLICY_FORBIDDEN",
      detail: "canary",
      decision: "forbid",
      rule: "trap",
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
      advice: CALL_ADVICE.POLICY_FORBIDDEN,
    },
  ],
  [
    "a call that expired after its approval tells its end, not its decision",
    { settled: "EXPIRED", errorClass: "GRANT_EXPIRED", decision: "allow", rule: "source-files" },
    {
      status: "EXPIRED",
      executed: false,
      error: "GRANT_EXPIRED",
      meaning: "the grant came too late",
      advice: CALL_ADVICE.GRANT_EXPIRED,
    },
  ],
  [
    "of a call whose end was not seen it is not said that it did not run",
    { settled: "OUTCOME_UNKNOWN", errorClass: "OUTCOME_UNKNOWN" },
    {
      status: "OUTCOME_UNKNOWN",
      executed: "unknown",
      error: "OUTCOME_UNKNOWN",
      meaning: "the call began and its end was not seen",
      advice: CALL_ADVICE.OUTCOME_UNKNOWN,
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

/** Classes that a call can end with although their stage is about responses or runs. */
const OF_OTHER_STAGES = [
  "ARGUMENTS_MISMATCH",
  "ARGUMENTS_TOO_LARGE",
  "BAD_UTF8",
  "CANCELLED",
  "EVENT_ORDER",
  "IDENTITY_CONFLICT",
  "ITEM_INCOMPLETE",
];

test("each class that can refuse a call says what to do instead, and no other has advice", () => {
  const stages: readonly string[] = ["json", "verdict", "policy", "execution"];
  const refusing = namesOf(ERROR_CLASSES).filter(
    (name) => stages.includes(ERROR_CLASSES[name].stage) || OF_OTHER_STAGES.includes(name),
  );
  expect(namesOf(CALL_ADVICE).toSorted()).toEqual(refusing.toSorted());
  for (const errorClass of refusing) {
    expect(told({ settled: "DENIED", errorClass })).toMatchObject({
      advice: CALL_ADVICE[errorClass as CallClass],
    });
  }
});
