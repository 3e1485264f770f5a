import type { ErrorClass } from "@airlock/core/fault";
import type { AdmittedRun } from "../verdict/judgement.ts";

/**
 * What forbids the run any further request, or null. The response that crosses a budget still counts, and its calls run:
 * what they did is better seen than cut in the middle.
 */
export function spentBudget(run: AdmittedRun, now: number): ErrorClass | null {
  const { outputTokens } = run.limits;
  if (run.deadlineAt !== undefined && now >= run.deadlineAt) return "DEADLINE_EXCEEDED";
  return outputTokens !== null && run.outputTokens >= outputTokens ? "BUDGET_OUTPUT_TOKENS" : null;
}

/** The same for the turn after this one. */
export function spentForNextTurn(run: AdmittedRun, turn: number, now: number): ErrorClass | null {
  return spentBudget(run, now) ?? (turn >= run.limits.turns ? "BUDGET_TURNS" : null);
}
