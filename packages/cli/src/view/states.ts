import { isFinal, itemStateSchema } from "@airlock/core/call";
import { isFinalRun, runStateSchema } from "@airlock/core/run";
import type { Screen } from "./screen.ts";

const BAD_ITEM_STATES = new Set([
  "QUARANTINED",
  "DENIED",
  "EXPIRED",
  "CANCELLED",
  "OUTCOME_UNKNOWN",
  "RECONCILING",
  "NEEDS_HUMAN",
  "NOT_EXECUTED",
]);

export function styledItemState(screen: Screen, state: string): string {
  if (state === "EXECUTED") return screen.style("green", state);
  return BAD_ITEM_STATES.has(state) ? screen.style("yellow", state) : state;
}

export function styledRunState(screen: Screen, state: string): string {
  const known = runStateSchema.safeParse(state);
  if (!known.success || !isFinalRun(known.data)) return screen.style("cyan", state);
  return screen.style(known.data === "completed" ? "green" : "red", state);
}

/** True for a state that nothing leads out of, and for one that only a person can end. */
export function hasEnded(state: string): boolean {
  const known = itemStateSchema.safeParse(state);
  return known.success && (isFinal(known.data) || known.data === "OUTCOME_UNKNOWN");
}
