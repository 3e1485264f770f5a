// A filter and a place in the list of runs with something refused in, one page of their refusals and the place of the next
// out. Looks at no more than so many runs, and about so many of their calls, for one page, whatever the filter leaves of them.
import { z } from "zod";
import { AirlockError } from "@airlock/core/fault";
import { isRunId } from "@airlock/core/record";
import { readRunHeads } from "@airlock/core/run";
import { globalKeys } from "@airlock/core/store";
import { placesBehind, walkPages, type PageQuery, type Place } from "./index-page.ts";
import { entriesOf, type Deps } from "./quarantine-entries.ts";
import { quarantineEntrySchema, type EntryState, type QuarantineEntry } from "./quarantine-entry.ts";

/** null: any */
export interface QuarantineFilter {
  readonly run: string | null;
  readonly errorClass: string | null;
  readonly state: EntryState | null;
  readonly limit: number;
}
type Query = QuarantineFilter & PageQuery;

export const quarantinePageSchema = z.strictObject({
  entries: z.array(quarantineEntrySchema).readonly(),
  /** null at the end. A page may be short and have one: then few of the runs that were looked at had any that fit. */
  next: z.string().nullable(),
});
export type QuarantinePage = Readonly<z.infer<typeof quarantinePageSchema>>;

const INDEX = { key: globalKeys.quarantine, order: "falling", from: Infinity } as const;
const PAGE = 500;
const BATCH = 20;
/** What one page looks at, at most; it always looks at one run. */
const [MOST_RUNS, MOST_CALLS] = [200, 2_000];
/** Runs with so many calls together are read at once. */
const CALLS_AT_ONCE = 200;

/** The latest runs first. */
export function listQuarantine(deps: Deps, filter: QuarantineFilter): Promise<readonly QuarantineEntry[]> {
  return walkPages({ limit: filter.limit, size: PAGE }, (query) =>
    listQuarantinePage(deps, { ...filter, ...query }),
  );
}

/** The latest runs first. Throws USAGE for a cursor that is none. */
export async function listQuarantinePage(deps: Deps, query: Query): Promise<QuarantinePage> {
  const { limit } = query;
  const entries: QuarantineEntry[] = [];
  let [runs, calls] = [0, 0];
  for await (const looked of lookThrough(deps, query)) {
    const end = looked.shown + limit - entries.length;
    entries.push(...looked.entries.slice(looked.shown, end));
    if (looked.entries.length > end) return { entries, next: cursorOf(looked.place, end) };
    if (looked.last) break;
    runs += 1;
    calls += looked.calls;
    if (entries.length === limit || runs >= MOST_RUNS || calls >= MOST_CALLS)
      return { entries, next: cursorOf(looked.place, 0) };
  }
  return { entries, next: null };
}

interface Looked {
  readonly place: Place;
  /** those that fit */
  readonly entries: readonly QuarantineEntry[];
  /** how many of them the page before had */
  readonly shown: number;
  readonly calls: number;
  readonly last: boolean;
}

async function* lookThrough(deps: Deps, query: Query): AsyncGenerator<Looked, void> {
  const { place: begun, shown } = startOf(query);
  if (begun !== null && (shown > 0 || query.run !== null)) {
    const last = query.run !== null;
    yield { place: begun, entries: await fitting(deps, query, begun.id), shown, calls: 0, last };
    if (last) return;
  }
  for (let after = begun; ;) {
    const places = await placesBehind(deps.redis, INDEX, { after, count: BATCH + 1 });
    for (const group of await groupsOf(deps, places.slice(0, BATCH))) {
      const lists = await Promise.all(group.map(({ place }) => fitting(deps, query, place.id)));
      for (const [at, { place, calls }] of group.entries()) {
        const last = place === places.at(-1);
        yield { place, entries: lists[at] ?? [], shown: 0, calls, last };
        after = place;
      }
    }
    if (places.length <= BATCH) return;
  }
}

type Weighed = Pick<Looked, "place" | "calls">;

/** Of small runs many are read at once, a large one by itself. */
async function groupsOf({ redis }: Deps, places: readonly Place[]): Promise<readonly (readonly Weighed[])[]> {
  const heads = await readRunHeads(
    redis,
    places.map(({ id }) => id),
  );
  const groups: Weighed[][] = [];
  let room = 0;
  for (const [at, place] of places.entries()) {
    const head = heads[at] ?? null;
    const calls = head === null || head instanceof AirlockError ? 0 : head.calls;
    room -= calls + 1;
    if (room >= 0) groups.at(-1)?.push({ place, calls });
    else {
      groups.push([{ place, calls }]);
      room = CALLS_AT_ONCE - calls;
    }
  }
  return groups;
}

async function fitting(
  deps: Deps,
  { errorClass, state }: Query,
  run: string,
): Promise<readonly QuarantineEntry[]> {
  const entries = (await entriesOf(deps, run)) ?? [];
  return entries.filter(
    (entry) =>
      (errorClass === null || entry.errorClass === errorClass) && (state === null || entry.state === state),
  );
}

/** `shown`: 0 where the run is done with. */
function cursorOf({ score, id }: Place, shown: number): string {
  return `${score}.${id}.${shown}`;
}

function startOf({ run, cursor }: Query): { readonly place: Place | null; readonly shown: number } {
  if (cursor === null) return { place: run === null ? null : { id: run, score: "0" }, shown: 0 };
  const [, score = "", id = "", shown = ""] = /^(\d{1,16})\.(\w{1,40})\.(\d{1,6})$/.exec(cursor) ?? [];
  if (isRunId(id) && (run === null || run === id)) return { place: { id, score }, shown: Number(shown) };
  throw new AirlockError("USAGE", "the cursor is none that this list gave; leave it out to start anew");
}
