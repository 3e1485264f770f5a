import { expect, test } from "vitest";
import { callHashSchema, refusalReason, tellableRefusal, type CallHash } from "@airlock/core/run";

interface Case {
  readonly decision: string;
  readonly errorClass: string;
  readonly detail?: string;
  readonly hidden?: true;
}

const REASON = "rule w decides";

function refused({ decision, errorClass, detail = REASON, hidden }: Case): CallHash {
  const finding = { rule: "w", decision, reason: REASON, ...(hidden === undefined ? {} : { private: true }) };
  return callHashSchema.parse({
    state: "DENIED",
    tool: "write_file",
    callId: "c",
    argumentsKind: "json",
    bytes: "1",
    decision,
    rule: "w",
    detail,
    errorClass,
    policyDecision: JSON.stringify({
      decision,
      winning: "w",
      reason: REASON,
      policyDigest: "",
      matched: [finding],
      approval: null,
      shadow: null,
    }),
  });
}

test.each<[string, Case, string | null, string | null]>([
  ["a rule that forbade it", { decision: "forbid", errorClass: "POLICY_FORBIDDEN" }, "w", REASON],
  ["a rule that set it aside", { decision: "quarantine", errorClass: "POLICY_QUARANTINED" }, "w", REASON],
  ["the route", { decision: "forbid", errorClass: "ROUTE_UNVERIFIED" }, "w", REASON],
  [
    "a rule that forbade it after a reload",
    { decision: "forbid", errorClass: "POLICY_CHANGED" },
    "w",
    REASON,
  ],
  ["a rule that nobody answered", { decision: "approve", errorClass: "APPROVAL_EXPIRED" }, "w", REASON],
  ["a rule that asks nobody", { decision: "approve", errorClass: "APPROVAL_NOT_ASKED" }, "w", REASON],
  [
    "what an executor saw",
    { decision: "allow", errorClass: "POLICY_CHANGED", detail: "a link leads out" },
    null,
    "a link leads out",
  ],
  [
    "what an executor saw of an approved call",
    { decision: "approve", errorClass: "POLICY_CHANGED", detail: "a link leads out" },
    null,
    "a link leads out",
  ],
  ["a budget, and no rule that allowed it", { decision: "allow", errorClass: "BUDGET_MUTATING" }, null, null],
  ["a budget, and no rule that asked", { decision: "approve", errorClass: "BUDGET_CALLS" }, null, null],
  ["an edit, and no rule that allowed it", { decision: "allow", errorClass: "POLICY_CHANGED" }, null, null],
  ["a sibling, and no rule that flagged it", { decision: "flag", errorClass: "SIBLING_REFUSED" }, null, null],
])("a call is refused by %s", (_, given, rule, reason) => {
  expect(refusalReason(refused(given))).toEqual({ rule, reason });
  expect(tellableRefusal(refused(given))).toEqual({ rule, reason });
});

test("a call that was never decided is refused by what was found of it", () => {
  const {
    policyDecision: _,
    decision: __,
    rule: ___,
    ...call
  } = refused({
    decision: "allow",
    errorClass: "SCHEMA_VIOLATION",
    detail: "at /path",
  });
  expect(refusalReason(call)).toEqual({ rule: null, reason: "at /path" });
});

test("a private rule is told to operators, and to the model neither it nor its reason", () => {
  const call = refused({ decision: "forbid", errorClass: "POLICY_FORBIDDEN", hidden: true });
  expect(refusalReason(call)).toEqual({ rule: "w", reason: REASON });
  expect(tellableRefusal(call)).toEqual({ rule: null, reason: "the reason is private" });
});
