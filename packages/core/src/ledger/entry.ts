import { z } from "zod";
import { itemStateSchema } from "../call/index.ts";

const number = z.coerce.number();

function json<Shape extends z.ZodType>(shape: Shape) {
  return z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(shape);
}

/** A result that came too late to be the outcome: its fence was stale. `at` in milliseconds of Redis' clock. */
export const evidenceSchema = z.object({
  fence: number,
  status: z.string(),
  contentDigest: z.string().nullable(),
  at: number,
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** A start whose end nobody saw. */
const lostSchema = z.object({ owner: z.string(), fence: number, leaseUntil: number });

/** Who said what became of an unknown call, and why. */
const resolutionSchema = z.object({
  finding: z.enum(["executed", "not_executed"]),
  by: z.string(),
  reason: z.string(),
});

/**
 * A `:ledger:` hash. The sealed result lies under a key of its own, which goes with the run; times are milliseconds of
 * Redis' clock. `expected` is sealed, and there only as long as the call may still be probed.
 */
export const ledgerEntrySchema = z.object({
  state: itemStateSchema,
  fence: number,
  owner: z.string(),
  grant: number,
  /** the last grant whose start was lost and may be repeated: nothing starts under it any more */
  burned: number.optional(),
  digest: z.string(),
  tool: z.string(),
  effect: z.enum(["read", "idempotent", "mutating"]),
  leaseUntil: number,
  /** of the approval that it was claimed under: consumed, and good for this call alone; empty for none */
  nonce: z.string().optional(),
  /** the end of the decision that it was claimed under */
  notAfter: number.optional(),
  /** of the workspace's lease; none for a call that only reads */
  epoch: number.optional(),
  sandbox: z.enum(["bwrap", "none"]).optional(),
  expected: z.string().optional(),
  startedAt: number.optional(),
  unknownAt: number.optional(),
  /** whether OUTCOME_UNKNOWN was published as the outcome: what is found later is not */
  published: z
    .enum(["0", "1"])
    .transform((flag) => flag === "1")
    .optional(),
  lost: json(lostSchema).optional(),
  evidence: json(evidenceSchema).optional(),
  resolution: json(resolutionSchema).optional(),
  status: z.string().optional(),
  errorClass: z.string().optional(),
  detail: z.string().optional(),
  contentDigest: z.string().optional(),
  resultBytes: number.optional(),
  durationMs: number.optional(),
});
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;
