import type { LedgerEntry } from "@airlock/core/ledger";
import type { Deps } from "../deps.ts";
import { standingOf } from "./owner.ts";

/** A start whose end nobody saw. Times are milliseconds of Redis' clock. */
export interface LostStart {
  readonly owner: string;
  readonly fence: number;
  readonly leaseUntil: number;
}

/** What another process may still do after its lease: it ends its tools itself, by a clock that is not ours. */
const MARGIN_MS = 5_000;

/** The first reconciler finds it in the entry, later ones where the ledger put it aside. */
export function lostStart({ lost, owner, fence, leaseUntil }: LedgerEntry): LostStart {
  return lost ?? { owner, fence, leaseUntil };
}

/** When it can be looked at: at once where its process is seen dead or is our own, else when it can't go on any more. */
export function safeFrom({ owner }: Pick<Deps, "owner">, entry: LedgerEntry): number {
  const lost = lostStart(entry);
  const standing = standingOf(lost.owner, owner);
  if (standing === "ours" || standing === "gone") return 0;
  return Math.max(lost.leaseUntil, entry.unknownAt ?? 0) + MARGIN_MS;
}
