// The ledger's executable specification: takes the questions that the ledger over Redis takes, gives the same answers,
// and moves an entry along the table of transitions only. One suite of tests holds the two against each other.
import { TRANSITIONS } from "../call/index.ts";
import type { ErrorClass } from "../fault/index.ts";
import { concluded, givenBack, keptBy, leavable, type Leaving } from "./leaving.ts";
import type { BeginAnswer, Beginning, Ledger } from "./ledger.ts";
import { createBook, type MemoryBook, type MemoryWorld } from "./memory-book.ts";
import { memoryClaim } from "./memory-claim.ts";
import { memoryUnknown } from "./memory-unknown.ts";
import { HELD_BY_FENCE, LEDGER_KEEP_MS } from "./standing.ts";

export interface MemoryLedger extends Ledger {
  /** The sealed result of a call; null for none. */
  result(itemKey: string): string | null;
}

export function createMemoryLedger(world: MemoryWorld, keepMs = LEDGER_KEEP_MS): MemoryLedger {
  const book = createBook(world, keepMs);
  const leave = async (itemKey: string, fence: number, leaving: Leaving): Promise<boolean> =>
    memoryLeave(book, { itemKey, fence }, leaving);
  return {
    claim: async (request) => memoryClaim(book, request),
    begin: async (itemKey, fence, beginning) => memoryBegin(book, { itemKey, fence }, beginning),
    unbegin: (itemKey, fence) => leave(itemKey, fence, givenBack("unbegin")),
    release: (itemKey, fence) => leave(itemKey, fence, givenBack("release")),
    end: (itemKey, fence, ending) =>
      leave(itemKey, fence, keptBy(ending.transition, ending, { detail: ending.detail })),
    conclude: (itemKey, fence, conclusion) => leave(itemKey, fence, concluded(conclusion)),
    async renew(itemKey, fence, leaseMs) {
      const entry = book.held(itemKey, fence, HELD_BY_FENCE);
      if (entry === null || book.leaseOver(entry)) return false;
      book.set(itemKey, { leaseUntil: world.now() + leaseMs });
      const place = book.place(itemKey);
      if (place.holder === itemKey) place.holderUntil = world.now() + leaseMs;
      return true;
    },
    ...memoryUnknown(book),
    read: async (itemKey) => book.find(itemKey),
    result: (itemKey) => book.results.get(itemKey) ?? null,
  };
}

interface Hold {
  readonly itemKey: string;
  readonly fence: number;
}

function memoryBegin(
  book: MemoryBook,
  { itemKey, fence }: Hold,
  { expected, sandbox }: Beginning,
): BeginAnswer {
  const { world } = book;
  const entry = book.held(itemKey, fence, TRANSITIONS.begin.from);
  if (entry === null) return "stale";
  const settle = (
    transition: "cancel" | "expire" | "deny",
    errorClass: ErrorClass,
    silent = false,
  ): BeginAnswer => {
    book.move(itemKey, transition, { fields: { status: "refused", errorClass }, errorClass, silent });
    return "settled";
  };
  const dropped = world.call(itemKey)?.settled === true;
  if (dropped || world.run(itemKey)?.over === true) return settle("cancel", "CANCELLED", dropped);
  if (world.now() >= (entry.notAfter ?? 0)) return settle("expire", "GRANT_EXPIRED");
  if (book.leaseOver(entry)) return "stale";
  const place = book.place(itemKey);
  const has = place.holder === itemKey && place.epoch === entry.epoch;
  if (entry.effect !== "read" && !has) return settle("deny", "WORKSPACE_STALE");
  book.move(itemKey, "begin", { fields: { startedAt: world.now(), expected, sandbox: sandbox ?? null } });
  return "started";
}

function memoryLeave(book: MemoryBook, { itemKey, fence }: Hold, leaving: Leaving): boolean {
  const { transition, whileHeld, content, contentDigest, errorClass, fields } = leaving;
  const entry = book.held(itemKey, fence, leavable(transition));
  if (entry === null) {
    const again = whileHeld ? null : book.held(itemKey, fence, [TRANSITIONS[transition].to]);
    return again !== null && (again.contentDigest ?? null) === contentDigest;
  }
  if (whileHeld && book.leaseOver(entry)) return false;
  if (content !== null && book.world.run(itemKey) !== null) book.results.set(itemKey, content);
  book.move(itemKey, transition, { fields: { contentDigest, ...fields }, errorClass });
  return true;
}
