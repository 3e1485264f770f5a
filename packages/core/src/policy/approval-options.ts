export const RISKS = ["low", "medium", "high"] as const;
export type Risk = (typeof RISKS)[number];

/** What a rule asks of an approval. */
export interface ApprovalOptions {
  readonly risk: Risk;
  /** milliseconds; null leaves it to the validator's own setting */
  readonly ttlMs: number | null;
  /** how many people have to agree */
  readonly quorum: number;
}

/** What several rules ask of one approval: the highest risk, the shortest time, the most people. */
export function strictestApproval(asked: readonly ApprovalOptions[]): ApprovalOptions | null {
  if (asked.length === 0) return null;
  const risk = Math.max(...asked.map((each) => RISKS.indexOf(each.risk)));
  return {
    risk: RISKS[risk] ?? "high",
    ttlMs: smallest(asked.map((each) => each.ttlMs)),
    quorum: Math.max(...asked.map((each) => each.quorum)),
  };
}

/** The smallest of the bounds that are set; null where none is. */
export function smallest(bounds: readonly (number | null | undefined)[]): number | null {
  const set = bounds.filter((bound) => typeof bound === "number");
  return set.length === 0 ? null : Math.min(...set);
}
