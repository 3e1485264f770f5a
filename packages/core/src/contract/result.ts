import { z } from "zod";
import { parseItemKey } from "../record/index.ts";
import { bodyHead, count, digest, errorClass } from "./version.ts";

/** The states in which the executor may report a call as settled. */
export const RESULT_STATES = [
  "EXECUTED",
  "NOT_EXECUTED",
  "DENIED",
  "CANCELLED",
  "EXPIRED",
  "OUTCOME_UNKNOWN",
] as const;

/** In characters; a rule's reason has 500 at most. */
const MAX_REASON = 1_000;

const head = {
  ...bodyHead,
  itemKey: z.string().refine((text) => parseItemKey(text) !== null, "not an item key"),
  grant: count.min(1),
  fence: count,
};

/**
 * What became of a grant. `settled` is the one published outcome of the call, its content sealed in the ledger
 * (`contentDigest` is SHA-256 of the sealed text); `regrant` says that nothing runs under this grant any more
 * and that the call may be granted anew.
 */
export const resultBodySchema = z.discriminatedUnion("kind", [
  z.strictObject({
    ...head,
    kind: z.literal("settled"),
    state: z.enum(RESULT_STATES),
    status: z.enum(["ok", "error", "timeout", "output_limit", "cancelled", "refused", "unknown"]),
    errorClass: errorClass.nullable(),
    /** of a denial by policy: its reason, as the model may hear it */
    detail: z.string().max(MAX_REASON).exactOptional(),
    contentDigest: digest.nullable(),
    resultBytes: count,
    durationMs: count,
  }),
  z.strictObject({ ...head, kind: z.literal("regrant"), errorClass }),
]);
export type ResultBody = z.infer<typeof resultBodySchema>;
