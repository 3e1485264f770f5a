import { parseItemKey } from "../record/index.ts";
import type { LedgerEntry } from "./entry.ts";
import { HELD_BY_FENCE, STANDING } from "./standing.ts";

/** What an older call under the same effect key means for the next one. */
export type Standing =
  | { readonly kind: "free" }
  /** it runs, or is being looked at, under a live lease */
  | { readonly kind: "held"; readonly leaseMs: number }
  /** it had the effect, or may have had it, in a way that the model doesn't know of */
  | { readonly kind: "repeated" };

const FREE: Standing = { kind: "free" };
const REPEATED: Standing = { kind: "repeated" };

/**
 * How the owner of an effect key stands towards another call. A call that ran and whose result the model was given is no
 * obstacle: running the tests again in a later turn is what agents do. One that ran in an older attempt of the same
 * turn is, since the model knows nothing of it; so is one whose end nobody saw, and one that was found to have run only
 * after the model had been told that nobody knows.
 */
export function standingOf(
  call: { readonly itemKey: string; readonly now: number },
  owner: { readonly itemKey: string; readonly entry: LedgerEntry | null },
): Standing {
  const { entry } = owner;
  if (entry === null) return FREE;
  const leaseMs = entry.leaseUntil - call.now;
  if (HELD_BY_FENCE.includes(entry.state) && leaseMs > 0) return { kind: "held", leaseMs };
  const unseen = entry.state === "STARTED" || STANDING.unknown.some((state) => state === entry.state);
  const untold = entry.published === true || isOlderAttempt(owner.itemKey, call.itemKey);
  return unseen || (entry.state === "EXECUTED" && untold) ? REPEATED : FREE;
}

function isOlderAttempt(ownerKey: string, itemKey: string): boolean {
  const owner = parseItemKey(ownerKey);
  const item = parseItemKey(itemKey);
  if (owner === null || item === null) return false;
  return owner.run === item.run && owner.turn === item.turn && owner.attempt < item.attempt;
}
