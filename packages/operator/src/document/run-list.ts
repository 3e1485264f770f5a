// A filter and a place in the index of runs in, one page of the latest first and the place of the next out.
// Refuses a place that is none; looks at no more than so many runs for one page, whatever the filter leaves of them.
import { z } from "zod";
import { AirlockError } from "@airlock/core/fault";
import { isRunId } from "@airlock/core/record";
import { readRunHeads, type RunHead, type RunState } from "@airlock/core/run";
import { globalKeys, type Redis } from "@airlock/core/store";
import { reasonOf } from "./run-document.ts";

const runListEntrySchema = z.strictObject({
  id: z.string(),
  state: z.string(),
  route: z.string(),
  model: z.string(),
  turn: z.int(),
  /** null until its first call */
  pool: z.string().nullable(),
  requestedBy: z.string().nullable(),
  labels: z.record(z.string(), z.string()).readonly(),
  createdAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  reason: z.string().nullable(),
});
export type RunListEntry = Readonly<z.infer<typeof runListEntrySchema>>;

/** null: any */
export interface RunQuery {
  readonly state: RunState | null;
  readonly label: { readonly name: string; readonly value: string } | null;
  readonly requestedBy: string | null;
  /** `next` of the page before; null for the first */
  readonly cursor: string | null;
  readonly limit: number;
}

export const runPageSchema = z.strictObject({
  runs: z.array(runListEntrySchema).readonly(),
  /** null at the end. A page may be short and have one: then the filter fitted few of those that were looked at. */
  next: z.string().nullable(),
});
export type RunPage = Readonly<z.infer<typeof runPageSchema>>;

const BATCH = 200;
/** How many runs one page looks at, at most: what bounds its time and its memory. */
const MOST_SEEN = 2_000;
const ANY = { state: null, label: null, requestedBy: null, cursor: null } as const;

/** The latest runs, newest first. */
export async function listRuns(redis: Redis, limit: number): Promise<readonly RunListEntry[]> {
  const runs: RunListEntry[] = [];
  let cursor: string | null = null;
  do {
    const page: RunPage = await listRunPage(redis, { ...ANY, cursor, limit: limit - runs.length });
    runs.push(...page.runs);
    cursor = page.next;
  } while (cursor !== null && runs.length < limit);
  return runs;
}

/** Null before its admission, and where there is no such run. */
export async function readRunEntry(redis: Redis, id: string): Promise<RunListEntry | null> {
  const [entry] = await readEntries(redis, [id]);
  return entry ?? null;
}

/** Newest first. One whose record can't be read keeps no other from the list. Throws USAGE for a cursor that is none. */
export async function listRunPage(redis: Redis, query: RunQuery): Promise<RunPage> {
  const start = await rankAfter(redis, query.cursor);
  const runs: RunListEntry[] = [];
  for (let seen = 0; seen < MOST_SEEN;) {
    const rank = start + seen;
    // one more than is read, to know whether there is a next page
    const size = Math.min(BATCH, isFiltered(query) ? BATCH : query.limit - runs.length);
    const flat = await redis.zrevrange(globalKeys.runs, rank, rank + size, "WITHSCORES");
    const places = placesOf(flat);
    const entries = await readEntries(
      redis,
      places.slice(0, size).map(({ id }) => id),
    );
    for (const [at, entry] of entries.entries()) {
      if (entry !== null && fits(entry, query)) runs.push(entry);
      const more = at + 1 < places.length;
      if (runs.length === query.limit) return { runs, next: more ? cursorOf(places[at]) : null };
    }
    if (places.length <= size) return { runs, next: null };
    seen += size;
    if (seen >= MOST_SEEN) return { runs, next: cursorOf(places[size - 1]) };
  }
  return { runs, next: null };
}

interface Place {
  readonly id: string;
  readonly score: string;
}

function placesOf(flat: readonly string[]): readonly Place[] {
  return flat.flatMap((id, at) => (at % 2 === 0 ? [{ id, score: flat[at + 1] ?? "" }] : []));
}

function cursorOf(place: Place | undefined): string | null {
  return place === undefined ? null : `${place.score}.${place.id}`;
}

/** A run that retention took meanwhile is found again by its time. */
async function rankAfter(redis: Redis, cursor: string | null): Promise<number> {
  if (cursor === null) return 0;
  const [, score = "", id = ""] = /^(\d{1,16})\.(\w{1,40})$/.exec(cursor) ?? [];
  if (!isRunId(id)) {
    throw new AirlockError(
      "USAGE",
      "the cursor is none that a list of runs gave; leave it out to start anew",
    );
  }
  const rank = await redis.zrevrank(globalKeys.runs, id);
  return rank === null ? redis.zcount(globalKeys.runs, `(${score}`, "+inf") : rank + 1;
}

function isFiltered({ state, label, requestedBy }: RunQuery): boolean {
  return state !== null || label !== null || requestedBy !== null;
}

function fits(entry: RunListEntry, { state, label, requestedBy }: RunQuery): boolean {
  return (
    (state === null || entry.state === state) &&
    (requestedBy === null || entry.requestedBy === requestedBy) &&
    (label === null || (Object.hasOwn(entry.labels, label.name) && entry.labels[label.name] === label.value))
  );
}

async function readEntries(redis: Redis, ids: readonly string[]): Promise<readonly (RunListEntry | null)[]> {
  const heads = await readRunHeads(redis, ids);
  return heads.map((head, at) => entryOf(ids[at] ?? "", head));
}

function entryOf(id: string, head: RunHead | AirlockError | null): RunListEntry | null {
  if (head === null) return null;
  if (head instanceof AirlockError) return { ...UNREADABLE, id, reason: `${head.code}: ${head.message}` };
  const { state, route, model, turn, pool = null, requestedBy, labels, createdAt, endedAt } = head;
  return {
    id,
    state,
    route,
    model,
    turn,
    pool,
    requestedBy,
    labels,
    createdAt: new Date(createdAt).toISOString(),
    endedAt: endedAt === undefined ? null : new Date(endedAt).toISOString(),
    reason: reasonOf(head),
  };
}

const UNREADABLE = {
  state: "unreadable",
  route: "-",
  model: "-",
  turn: 0,
  pool: null,
  requestedBy: null,
  labels: {},
  createdAt: null,
  endedAt: null,
} as const;
