import { z } from "zod";
import { itemStateSchema } from "../call/index.ts";

const number = z.coerce.number();

/** A `:ledger:` hash. The sealed result lies under a key of its own, which goes with the run; times are milliseconds of Redis' clock. */
export const ledgerEntrySchema = z.object({
  state: itemStateSchema,
  fence: number,
  owner: z.string(),
  grant: number,
  digest: z.string(),
  tool: z.string(),
  effect: z.enum(["read", "idempotent", "mutating"]),
  leaseUntil: number,
  status: z.string().optional(),
  errorClass: z.string().optional(),
  detail: z.string().optional(),
  contentDigest: z.string().optional(),
  resultBytes: number.optional(),
  durationMs: number.optional(),
});
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;
