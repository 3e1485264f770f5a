/** From the mildest to the strictest. `flag` runs and marks the record, `approve` waits for a person. */
export const DECISIONS = ["allow", "flag", "approve", "quarantine", "forbid"] as const;

export type Decision = (typeof DECISIONS)[number];

/** The strictest of all; of none, and of anything unknown, it is `forbid`. */
export function strictest(decisions: readonly Decision[]): Decision {
  const ranks = decisions.map((decision) => DECISIONS.indexOf(decision));
  if (ranks.includes(-1)) return "forbid";
  return DECISIONS[Math.max(...ranks)] ?? "forbid";
}

/** Decisions under which a call may still run. */
export function isPermitting(decision: Decision): boolean {
  return decision === "allow" || decision === "flag" || decision === "approve";
}
