import { TRANSITIONS } from "../call/index.ts";
import { NOT_EXECUTED } from "./leaving.ts";
import type { KnownStart, Ledger, ReconcileAnswer, Resolution } from "./ledger.ts";
import type { MemoryBook } from "./memory-book.ts";

export function memoryUnknown(
  book: MemoryBook,
): Pick<Ledger, "loseUnseen" | "reconcile" | "resolve" | "keepEvidence"> {
  return {
    loseUnseen: async (itemKey, known) => loseUnseen(book, itemKey, known),
    reconcile: async (itemKey, by) => reconcile(book, itemKey, by),
    resolve: async (itemKey, resolution) => resolve(book, itemKey, resolution),
    async keepEvidence(itemKey, { fence, status, contentDigest }) {
      const entry = book.find(itemKey);
      if (entry === null || (entry.evidence?.fence ?? -1) >= fence) return false;
      const evidence = JSON.stringify({ fence, status, contentDigest, at: book.world.now() });
      book.set(itemKey, { evidence });
      return true;
    },
  };
}

function loseUnseen(book: MemoryBook, itemKey: string, known: KnownStart): boolean {
  const { fence, grant, digest, tool, effect, owner } = known;
  const entry = book.find(itemKey);
  const seen = entry ?? { state: "POLICY_APPROVED", digest, fence: 0, burned: 0 };
  if (entry === null && book.world.run(itemKey) === null) return false;
  if (!TRANSITIONS.lose_unseen.from.some((state) => state === seen.state)) return false;
  if (seen.digest !== digest || (seen.burned ?? 0) >= grant) return false;
  const highest = Math.max(seen.fence, fence);
  const fields = { fence: highest, grant, digest, tool, effect, owner, leaseUntil: 0 };
  book.move(itemKey, "lose_unseen", { fields, errorClass: "OUTCOME_UNKNOWN" });
  return true;
}

function reconcile(
  book: MemoryBook,
  itemKey: string,
  { owner, leaseMs }: Parameters<Ledger["reconcile"]>[1],
): ReconcileAnswer {
  const now = book.world.now();
  const found = book.find(itemKey);
  if (found === null || !TRANSITIONS.reconcile.from.some((state) => state === found.state)) {
    return { kind: "settled" };
  }
  if (found.state === "RECONCILING" && !book.leaseOver(found)) {
    return { kind: "held", leaseMs: found.leaseUntil - now };
  }
  const fence = found.fence + 1;
  const { owner: starter, fence: started, leaseUntil } = found;
  const lost = JSON.stringify({ owner: starter, fence: started, leaseUntil });
  const fields = { fence, owner, leaseUntil: now + leaseMs };
  book.move(itemKey, "reconcile", { fields: found.state === "RECONCILING" ? fields : { ...fields, lost } });
  const entry = book.find(itemKey);
  return entry === null ? { kind: "settled" } : { kind: "reconciling", fence, entry };
}

function resolve(book: MemoryBook, itemKey: string, { finding, by, reason }: Resolution): boolean {
  const transition = finding === "executed" ? "resolve_done" : "resolve_undone";
  const { to, from } = TRANSITIONS[transition];
  const entry = book.find(itemKey);
  const resolution = JSON.stringify({ finding, by, reason });
  if (entry === null || !from.some((state) => state === entry.state)) {
    return entry?.state === to && JSON.stringify(entry.resolution) === resolution;
  }
  const said = finding === "executed" ? { status: "ok" } : NOT_EXECUTED;
  const errorClass = finding === "executed" ? null : NOT_EXECUTED.errorClass;
  book.move(itemKey, transition, { fields: { ...said, resolution }, errorClass });
  return true;
}
