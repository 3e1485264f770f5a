import type { PolicyDecision } from "./evaluate.ts";

/** Whether the operator keeps the rule that decided, and its reason, from the model. */
export function isWinnerPrivate({ matched, winning }: Pick<PolicyDecision, "matched" | "winning">): boolean {
  return matched.some((finding) => finding.private === true && finding.rule === winning);
}

/** The reason of a decision, or that it has one which the operator keeps from the model. */
export function tellableReason(decided: Pick<PolicyDecision, "matched" | "winning" | "reason">): string {
  return isWinnerPrivate(decided) ? "the reason is private" : decided.reason;
}
