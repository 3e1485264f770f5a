import type { PolicyDecision } from "./evaluate.ts";

/** The reason of a decision, or that it has one which the operator keeps from the model. */
export function tellableReason({
  matched,
  winning,
  reason,
}: Pick<PolicyDecision, "matched" | "winning" | "reason">): string {
  const hidden = matched.some((finding) => finding.private === true && finding.rule === winning);
  return hidden ? "the reason is private" : reason;
}
