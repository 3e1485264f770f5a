import { type MemoryBook } from "./memory-book.ts";
import type { LedgerEntry } from "./entry.ts";
import type { ErrorClass } from "../fault/index.ts";
import type { ClaimAnswer, ClaimRequest } from "./ledger.ts";
import { HELD_BY_FENCE, STANDING } from "./standing.ts";

export function memoryClaim(book: MemoryBook, request: ClaimRequest): ClaimAnswer {
  const { world, keepMs } = book;
  const { itemKey, grant, notAfter } = request;
  const entry = book.find(itemKey);
  const own = entry?.fence ?? 0;
  const fence = Math.max(own, request.knownFence);
  if (entry === null && world.now() >= notAfter + keepMs) return { kind: "refused", reason: "too_old" };
  const answered = entry === null ? null : asItStands(book, request, entry);
  if (answered !== null) return answered;
  const call = world.call(itemKey);
  if (call === null) return { kind: "refused", reason: "no_call" };
  if (call.grant !== grant || call.settled) return { kind: "refused", reason: "superseded" };
  // what was lost may be granted again, but not where nothing of the run is granted any more
  const over = world.run(itemKey)?.over === true || world.now() >= notAfter;
  if (grant <= (book.find(itemKey)?.burned ?? 0) && !over) {
    return { kind: "regrant", fence: own, errorClass: "OUTCOME_UNKNOWN" };
  }
  if (call.state !== "POLICY_APPROVED") return { kind: "refused", reason: "superseded" };
  if ((call.nonce ?? null) !== request.nonce) return { kind: "refused", reason: "other_approval" };
  if (entry?.startedAt !== undefined && (entry.nonce ?? "") !== (request.nonce ?? "")) {
    return { kind: "refused", reason: "approval_spent" };
  }
  // a claim whose lease is over: the call is nobody's again
  if (entry?.state === "CLAIMED") book.move(itemKey, "release", {});
  return taken(book, request, fence);
}

/** What an entry that is there says to a claim; null where the call may be claimed. */
function asItStands(book: MemoryBook, request: ClaimRequest, entry: LedgerEntry): ClaimAnswer | null {
  const { itemKey, effect } = request;
  if (entry.digest !== request.digest) return { kind: "refused", reason: "key_reused" };
  if (HELD_BY_FENCE.includes(entry.state) && !book.leaseOver(entry)) {
    return { kind: "held", leaseMs: entry.leaseUntil - book.world.now() };
  }
  if (entry.state === "STARTED") book.move(itemKey, "lose", { errorClass: "OUTCOME_UNKNOWN" });
  const state = book.find(itemKey)?.state;
  if (state === "POLICY_APPROVED" || state === "CLAIMED") return null;
  if (state === "OUTCOME_UNKNOWN" && effect === "read" && entry.published !== true) {
    book.move(itemKey, "allow_again", { fields: { burned: entry.grant }, errorClass: "OUTCOME_UNKNOWN" });
    return null;
  }
  const open = state === "OUTCOME_UNKNOWN" || state === "RECONCILING";
  return open ? { kind: "unknown", fence: entry.fence } : { kind: "settled" };
}

/** Of a call that is nobody's and that its grant allows: claimed, ended, or put off. */
function taken(book: MemoryBook, request: ClaimRequest, fence: number): ClaimAnswer {
  const { itemKey, owner, leaseMs, grant, digest, tool, effect, expiresAt, notAfter } = request;
  const { world } = book;
  const now = world.now();
  const fields = { owner, grant, digest, tool, effect, notAfter, nonce: request.nonce ?? "" };
  const refuse = (transition: "cancel" | "expire" | "deny", errorClass: ErrorClass): ClaimAnswer => {
    const refused = { ...fields, fence, leaseUntil: 0, status: "refused", errorClass };
    book.move(itemKey, transition, { fields: refused, errorClass });
    return { kind: "settled" };
  };
  if (world.run(itemKey)?.over === true) return refuse("cancel", "CANCELLED");
  if (now >= notAfter) return refuse("expire", "GRANT_EXPIRED");
  if (now >= expiresAt) return { kind: "regrant", fence, errorClass: "GRANT_EXPIRED" };
  const claimed = { ...fields, fence: fence + 1, leaseUntil: now + leaseMs };
  if (effect === "read") {
    book.move(itemKey, "claim", { fields: claimed });
    return { kind: "claimed", fence: fence + 1, epoch: null };
  }
  if (book.others(itemKey, STANDING.frozen) > 0) return refuse("deny", "WORKSPACE_FROZEN");
  if (book.others(itemKey, STANDING.unknown) > 0) return { kind: "held", leaseMs };
  const place = book.place(itemKey);
  if (place.holder !== null && place.holder !== itemKey && place.holderUntil > now) {
    return { kind: "held", leaseMs: place.holderUntil - now };
  }
  Object.assign(place, { epoch: place.epoch + 1, holder: itemKey, holderUntil: now + leaseMs });
  book.move(itemKey, "claim", { fields: { ...claimed, epoch: place.epoch } });
  return { kind: "claimed", fence: fence + 1, epoch: place.epoch };
}
