import type { ClaimAnswer, ClaimRequest, Conclusion, Ending, KnownStart } from "@airlock/core/ledger";
import type { Book } from "./ledger-book.ts";

export const DIGEST = "a".repeat(64);
export const OTHER_DIGEST = "b".repeat(64);
export const LEASE_MS = 60_000;
export const DAY_MS = 86_400_000;
/** how long an entry stays, where nobody says otherwise */
export const KEEP_MS = 30 * DAY_MS;
export const BEGINNING = { expected: "sealed expectation", sandbox: "bwrap" } as const;

const KEPT = { status: "ok", errorClass: null, durationMs: 4, resultBytes: 3 } as const;
export const OK: Ending = {
  ...KEPT,
  transition: "commit",
  detail: null,
  content: "sealed result",
  contentDigest: DIGEST,
};
export const LOST: Ending = {
  ...OK,
  transition: "lose",
  status: "unknown",
  errorClass: "OUTCOME_UNKNOWN",
  content: null,
  contentDigest: null,
};
export const DENIAL: Ending = {
  ...OK,
  transition: "deny",
  status: "refused",
  errorClass: "POLICY_CHANGED",
  detail: "a rule says no",
  content: null,
  contentDigest: null,
};
export const EXECUTED: Conclusion = {
  ...KEPT,
  finding: "executed",
  content: "sealed finding",
  contentDigest: OTHER_DIGEST,
};
export const RECONCILER = { owner: "reconciler", leaseMs: LEASE_MS } as const;
export const KNOWN_START: KnownStart = {
  fence: 1,
  grant: 1,
  digest: DIGEST,
  tool: "write_file",
  effect: "mutating",
  owner: "executor-1",
};

/** Claims as an executor does; the grant lives a minute more, its decision ten. */
export async function claim(
  book: Book,
  itemKey: string,
  change: Partial<ClaimRequest> = {},
): Promise<ClaimAnswer> {
  const now = await book.now();
  return book.ledger.claim({
    itemKey,
    owner: "executor-1",
    leaseMs: LEASE_MS,
    knownFence: 0,
    nonce: null,
    grant: 1,
    digest: DIGEST,
    tool: "write_file",
    effect: "mutating",
    expiresAt: now + 60_000,
    notAfter: now + 600_000,
    ...change,
  });
}

/** A call that runs: granted, claimed under fence 1, begun. */
export async function started(
  book: Book,
  itemKey: string,
  change: Partial<ClaimRequest> = {},
): Promise<void> {
  await book.call(itemKey, { grant: 1 });
  await claim(book, itemKey, change);
  await book.ledger.begin(itemKey, 1, BEGINNING);
}

/** A call that only a person can end; its fence is 2. */
export async function needsPerson(book: Book, itemKey: string): Promise<void> {
  await started(book, itemKey);
  await book.ledger.end(itemKey, 1, LOST);
  await book.ledger.reconcile(itemKey, RECONCILER);
  await book.ledger.conclude(itemKey, 2, { finding: "inconclusive" });
}
