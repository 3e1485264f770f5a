export { ledgerEntrySchema, type Evidence, type LedgerEntry } from "./entry.ts";
export { createLedger } from "./redis-ledger.ts";
export { listedUnknowns, listUnknown, unknownOf } from "./unknowns.ts";
export type {
  BeginAnswer,
  Beginning,
  ClaimAnswer,
  ClaimRequest,
  Conclusion,
  Ending,
  Kept,
  KnownStart,
  Ledger,
  ReconcileAnswer,
  Resolution,
} from "./ledger.ts";
