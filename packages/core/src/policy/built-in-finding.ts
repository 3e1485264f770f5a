import type { Finding } from "./policy.ts";

/** Ids of findings that no rule makes: policy's own, the route's, a person's, and the validator's about a policy or a check. */
export const BUILT_IN_FINDINGS = [
  "contract-run",
  "evaluator-error",
  "evaluator-timeout",
  "kill-switch",
  "limits.argsBytes",
  "limits.jsonDepth",
  "no-match",
  "own-check",
  "paths.read",
  "paths.write",
  "policy-gone",
  "repos",
  "repos.branches",
  "repos.requireBaseRevision",
  "route-read-only",
  "route-unverified",
  "unparseable",
] as const;

export type BuiltInFinding = (typeof BUILT_IN_FINDINGS)[number];

/** A finding under an id that no rule can have. */
export function builtIn(
  rule: BuiltInFinding,
  decision: Finding["decision"],
  reason: Finding["reason"],
): Finding {
  return { rule, decision, reason };
}

export function forbidden(rule: BuiltInFinding, reason: string): Finding {
  return builtIn(rule, "forbid", reason);
}
