// A sorted set of ids and a place in it in, what lies behind that place out, page by page. Refuses a cursor that no page
// gave; looks at no more than so many ids for one page, whatever is left of them.
import { AirlockError } from "@airlock/core/fault";
import { parseItemKey } from "@airlock/core/record";
import type { Redis } from "@airlock/core/store";

interface Index {
  readonly key: string;
  readonly order: "rising" | "falling";
  /** the first score that counts */
  readonly from: number;
}

export interface Place {
  readonly id: string;
  readonly score: string;
}

export interface PageQuery {
  /** `next` of the page before; null for the first */
  readonly cursor: string | null;
  readonly limit: number;
}

interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** null at the end. A page may be short and have one: then few of those that were looked at still belong to it. */
  readonly next: string | null;
}

/** How many ids one page looks at, at most: what bounds its time and its memory. */
const MOST_SEEN = 500;
const [LEAST_BATCH, MOST_BATCH] = [20, 100];

/** One page of an index of calls. `read` gives null for one that does not belong to the list, or no longer. */
export async function fillPage<Entry>(
  at: { readonly redis: Redis; readonly index: Index },
  { cursor, limit }: PageQuery,
  read: (ids: readonly string[]) => Promise<readonly (Entry | null)[]>,
): Promise<Page<Entry>> {
  const entries: Entry[] = [];
  let after = placeOf(cursor);
  for (let seen = 0; seen < MOST_SEEN;) {
    const size = Math.min(MOST_BATCH, Math.max(LEAST_BATCH, limit - entries.length));
    // one more than is read, to know whether there is a next page
    const places = await placesBehind(at.redis, at.index, { after, count: size + 1 });
    const batch = places.slice(0, size);
    for (const [nth, entry] of (await read(batch.map(({ id }) => id))).entries()) {
      if (entry !== null) entries.push(entry);
      if (entries.length === limit)
        return { entries, next: nth + 1 < places.length ? nextOf(batch[nth] ?? null) : null };
    }
    if (places.length <= size) return { entries, next: null };
    after = batch.at(-1) ?? null;
    seen += size;
  }
  return { entries, next: nextOf(after) };
}

/**
 * In the set's own order. One that was taken out, or moved to another score, meanwhile shifts nothing: the place is a score
 * and an id, not a count.
 */
export async function placesBehind(
  redis: Redis,
  index: Index,
  { after, count }: { readonly after: Place | null; readonly count: number },
): Promise<readonly Place[]> {
  const found: Place[] = [];
  // the place itself comes first, behind those of its score that were seen before it
  const size = count + 1;
  for (let skip = 0; found.length < count; skip += size) {
    const places = await placesFrom(redis, { index, after, skip, count: size });
    found.push(...places.filter((place) => after === null || isBehind(index.order, place, after)));
    if (places.length < size) break;
  }
  return found.slice(0, count);
}

async function placesFrom(
  redis: Redis,
  given: {
    readonly index: Index;
    readonly after: Place | null;
    readonly skip: number;
    readonly count: number;
  },
): Promise<readonly Place[]> {
  const { index, after, skip, count } = given;
  const { key, from, order } = index;
  const score = after === null ? from : Number(after.score);
  const flat =
    order === "rising"
      ? await redis.zrangebyscore(
          key,
          text(Math.max(from, score)),
          "+inf",
          "WITHSCORES",
          "LIMIT",
          skip,
          count,
        )
      : await redis.zrevrangebyscore(
          key,
          text(Math.min(from, score)),
          "-inf",
          "WITHSCORES",
          "LIMIT",
          skip,
          count,
        );
  return flat.flatMap((id, at) => (at % 2 === 0 ? [{ id, score: flat[at + 1] ?? "" }] : []));
}

function text(score: number): string {
  return Number.isFinite(score) ? String(score) : `${score > 0 ? "+" : "-"}inf`;
}

/** Of equal scores Redis goes by the bytes of the ids. */
function isBehind(order: Index["order"], place: Place, after: Place): boolean {
  if (place.score !== after.score) return true;
  return order === "rising" ? place.id > after.id : place.id < after.id;
}

function nextOf(place: Place | null): string | null {
  return place === null ? null : `${place.score}.${place.id}`;
}

/** Throws USAGE for what no page gave. */
function placeOf(cursor: string | null): Place | null {
  if (cursor === null) return null;
  const [, score = "", id = ""] = /^(\d{1,16})\.([\w.]{1,128})$/.exec(cursor) ?? [];
  if (parseItemKey(id) !== null) return { id, score };
  throw new AirlockError("USAGE", "the cursor is none that this list gave; leave it out to start anew");
}

/** Page by page, until there are as many as are asked for, or no more. */
export async function walkPages<Entry>(
  { limit, size }: { readonly limit: number; readonly size: number },
  ask: (query: PageQuery) => Promise<Page<Entry>>,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Entry> = await ask({ cursor, limit: Math.min(limit - entries.length, size) });
    entries.push(...page.entries);
    cursor = page.next;
  } while (typeof cursor === "string" && entries.length < limit);
  return entries.slice(0, limit);
}
