// Lines of the decision logs in, a random sample of the latest ones out, from one capped stream for all runs. It is a sample's
// source and no archive: a line that could not be added is only in the log, and none is added before it was logged.
import { z } from "zod";
import { globalKeys, type Redis } from "../store/index.ts";
import {
  itemDecisionSchema,
  markedItemDecisionSchema,
  responseDecisionSchema,
  type ItemDecision,
  type MarkedItemDecision,
  type ResponseDecision,
} from "./decision-log.ts";
import { toolNames, withToolName } from "./tool-categories.ts";

/** How many lines the stream keeps, about. */
export const DECISIONS_KEPT = 10_000;
const PAGE = 1_000;

export const decisionEntrySchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("item"),
    line: itemDecisionSchema.extend(markedItemDecisionSchema.pick({ content_hmac: true }).partial().shape),
  }),
  z.strictObject({ kind: z.literal("response"), line: responseDecisionSchema }),
]);
export type DecisionEntry = Readonly<z.infer<typeof decisionEntrySchema>>;

export type KeepDecision = (
  kind: DecisionEntry["kind"],
  line: ItemDecision | MarkedItemDecision | ResponseDecision,
) => void;

/**
 * Adds lines as they are logged, under the same names of tools. Throws nothing: a Redis that doesn't answer must not keep
 * a call from its end.
 */
export function decisionKeeper(redis: Redis, toolCategories: readonly string[]): KeepDecision {
  const nameOf = toolNames(toolCategories);
  return (kind, line) => {
    const entry = JSON.stringify(decisionEntrySchema.parse({ kind, line: withToolName(line, nameOf) }));
    // the log has the line: what is lost here is one of a sample
    redis.xadd(globalKeys.decisions, "MAXLEN", "~", DECISIONS_KEPT, "*", "d", entry).catch(() => undefined);
  };
}

export interface SampleQuery {
  /** how many at most */
  readonly sample: number;
  readonly sinceMs: number;
  /** 0 up to, not including, 1 */
  readonly random?: () => number;
}

/** A random sample of the lines since a time by Redis' clock, the oldest first; every line has the same chance. */
export async function sampleDecisions(redis: Redis, query: SampleQuery): Promise<readonly DecisionEntry[]> {
  const { sample, sinceMs, random = Math.random } = query;
  const kept: { readonly at: number; readonly entry: DecisionEntry }[] = [];
  let seen = 0;
  for await (const entry of linesSince(redis, sinceMs)) {
    const at = seen;
    seen += 1;
    const place = at < sample ? at : Math.floor(random() * seen);
    if (place < sample) kept[place] = { at, entry };
  }
  return kept.toSorted((a, b) => a.at - b.at).map(({ entry }) => entry);
}

async function* linesSince(redis: Redis, sinceMs: number): AsyncGenerator<DecisionEntry> {
  let from = String(sinceMs);
  for (let pages = 0; pages < (DECISIONS_KEPT * 2) / PAGE; pages += 1) {
    const entries = await redis.xrange(globalKeys.decisions, from, "+", "COUNT", PAGE);
    for (const [, [, text = ""]] of entries) {
      const read = decisionEntrySchema.safeParse(JSON.parse(text));
      if (read.success) yield read.data; // a newer build may have written another form
    }
    const last = entries.at(-1)?.[0];
    if (last === undefined || entries.length < PAGE) return;
    from = `(${last}`;
  }
}
