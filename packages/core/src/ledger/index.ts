export { ledgerEntrySchema, type LedgerEntry } from "./entry.ts";
export { createLedger } from "./redis-ledger.ts";
export type { BeginAnswer, ClaimAnswer, ClaimRequest, Ending, Ledger } from "./ledger.ts";
