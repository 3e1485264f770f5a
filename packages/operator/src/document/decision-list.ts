import { decisionEntrySchema, sampleDecisions, type DecisionEntry } from "@airlock/core/runtime";
import { redisNow, type Redis } from "@airlock/core/store";

export { decisionEntrySchema, type DecisionEntry };

/** What a sample is asked for; the bounds are those of the stream behind it. */
export interface DecisionQuery {
  /** how many at most */
  readonly sample: number;
  /** how long ago the oldest may be */
  readonly sinceMs: number;
}

/** A random sample of the latest lines of both decision logs, the oldest first. */
export async function listDecisions(
  redis: Redis,
  { sample, sinceMs }: DecisionQuery,
): Promise<readonly DecisionEntry[]> {
  const now = await redisNow(redis);
  return sampleDecisions(redis, { sample, sinceMs: Math.max(0, now - sinceMs) });
}
