import { applyTransition, TRANSITIONS, type ItemState, type Transition } from "../call/index.ts";
import type { ErrorClass } from "../fault/index.ts";
import { parseItemKey } from "../record/index.ts";
import { ledgerEntrySchema, type LedgerEntry } from "./entry.ts";
import { STANDING } from "./standing.ts";

/** What the ledger looks at and doesn't write: Redis' clock, the validator's records. */
export interface MemoryWorld {
  /** milliseconds */
  now(): number;
  call(itemKey: string): {
    readonly state: string;
    readonly grant: number;
    readonly settled: boolean;
    /** of the question that people answered about it */
    readonly nonce?: string;
  } | null;
  /** Of the call's run: whether it was cancelled or has ended; null where nothing is left of it. */
  run(itemKey: string): { readonly over: boolean } | null;
  /** A state was entered. */
  tell(itemKey: string, state: ItemState, errorClass: ErrorClass | null): void;
}

interface Place {
  epoch: number;
  holder: string | null;
  holderUntil: number;
}

type Fields = Readonly<Record<string, string | number | null>>;

export interface MemoryBook {
  readonly world: MemoryWorld;
  readonly keepMs: number;
  readonly results: Map<string, string>;
  find(itemKey: string): LedgerEntry | null;
  /** The entry, where this fence holds it in one of these states. */
  held(itemKey: string, fence: number, states: readonly ItemState[]): LedgerEntry | null;
  leaseOver(entry: LedgerEntry): boolean;
  place(itemKey: string): Place;
  /** How many other calls of the run, with effects, stand in one of these states. */
  others(itemKey: string, states: readonly ItemState[]): number;
  set(itemKey: string, fields: Fields): void;
  /** The one way from state to state; throws where the table has no such arrow. */
  move(
    itemKey: string,
    transition: Transition,
    change: { readonly fields?: Fields; readonly errorClass?: ErrorClass | null; readonly silent?: boolean },
  ): void;
}

export function createBook(world: MemoryWorld, keepMs: number): MemoryBook {
  const { find, set, keep, all } = createEntries(world);
  const places = new Map<string, Place>();
  const place = (itemKey: string): Place => {
    const run = runOf(itemKey);
    const known = places.get(run) ?? { epoch: 0, holder: null, holderUntil: 0 };
    places.set(run, known);
    return known;
  };
  return {
    world,
    keepMs,
    results: new Map(),
    find,
    place,
    set,
    held(itemKey, fence, states) {
      const entry = find(itemKey);
      return entry?.fence === fence && states.includes(entry.state) ? entry : null;
    },
    leaseOver: ({ leaseUntil }) => leaseUntil <= world.now(),
    others(itemKey, states) {
      const siblings = all().filter((key) => key !== itemKey && runOf(key) === runOf(itemKey));
      return siblings.filter((key) => {
        const entry = find(key);
        return entry !== null && entry.effect !== "read" && states.includes(entry.state);
      }).length;
    },
    move(itemKey, transition, { fields = {}, errorClass = null, silent = false }) {
      const { to } = TRANSITIONS[transition];
      if (applyTransition(find(itemKey)?.state ?? "POLICY_APPROVED", transition) === null)
        throw new TypeError(`no transition ${transition} from here`);
      const among = (states: readonly ItemState[]): boolean => states.includes(to);
      const lost = { status: "unknown", errorClass: "OUTCOME_UNKNOWN", unknownAt: world.now() };
      const forgotten = [
        ...(among(STANDING.unknown) ? [] : ["status", "errorClass"]),
        ...(among(STANDING.unprobed) ? ["expected"] : []),
      ];
      set(itemKey, { state: to, ...(to === "OUTCOME_UNKNOWN" ? lost : {}), ...fields }, forgotten);
      const until = Math.max(world.now(), find(itemKey)?.notAfter ?? 0) + keepMs;
      keep(itemKey, among(STANDING.kept) ? Infinity : until);
      if (!among(STANDING.held) && place(itemKey).holder === itemKey) place(itemKey).holder = null;
      if (!silent) world.tell(itemKey, to, errorClass);
    },
  };
}

/** The entries, in the form in which Redis has them, each up to its own end. */
function createEntries({ now }: Pick<MemoryWorld, "now">) {
  const hashes = new Map<string, Readonly<Record<string, string>>>();
  const ends = new Map<string, number>();
  const live = (itemKey: string): Readonly<Record<string, string>> | null =>
    (ends.get(itemKey) ?? Infinity) > now() ? (hashes.get(itemKey) ?? null) : null;
  return {
    all: () => [...hashes.keys()],
    find: (itemKey: string): LedgerEntry | null => {
      const hash = live(itemKey);
      return hash === null ? null : ledgerEntrySchema.parse(hash);
    },
    keep: (itemKey: string, until: number) => ends.set(itemKey, until),
    set: (itemKey: string, fields: Fields, forgotten: readonly string[] = []): void => {
      const stays = Object.entries(live(itemKey) ?? {}).filter(([name]) => !forgotten.includes(name));
      const added = Object.entries(fields).flatMap(([name, value]) =>
        value === null ? [] : [[name, String(value)] as const],
      );
      hashes.set(itemKey, Object.fromEntries([...stays, ...added]));
    },
  };
}

function runOf(itemKey: string): string {
  return parseItemKey(itemKey)?.run ?? "";
}
