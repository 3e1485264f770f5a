import { z } from "zod";
import { parseItemKey } from "../record/index.ts";
import { nonceSchema } from "./ask.ts";
import { bodyHead, count, digest } from "./version.ts";

export const commitSchema = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, "a commit is written as all of its 40 or 64 hex digits");

export const grantedWorkspaceSchema = z.strictObject({
  source: z.string(),
  ref: z.string(),
  baseRevision: commitSchema.optional(),
});

/**
 * The grant: permission to run exactly one item, once. Times are milliseconds of Redis' clock.
 * `expiresAt` ends the grant, `notAfter` the decision behind it.
 */
export const executionBodySchema = z.strictObject({
  ...bodyHead,
  itemKey: z.string().refine((text) => parseItemKey(text) !== null, "not an item key"),
  grant: count.min(1),
  tool: z.string(),
  manifestDigest: digest,
  effect: z.enum(["read", "idempotent", "mutating"]),
  argumentsDigest: digest,
  policy: z.string(),
  policyDigest: digest,
  workspace: grantedWorkspaceSchema,
  pool: z.string(),
  expiresAt: z.int().min(0),
  notAfter: z.int().min(0),
  /** the older call whose effect this one may repeat, as somebody decided */
  repeats: z
    .string()
    .refine((text) => parseItemKey(text) !== null, "not an item key")
    .exactOptional(),
  /** of a call that people approved: what their answers are bound to beside the call itself; the executor judges them too */
  approval: z
    .strictObject({
      nonce: nonceSchema,
      expiresAt: z.int().min(0),
      requestedBy: z.string(),
      quorum: count.min(1),
    })
    .exactOptional(),
});
export type ExecutionBody = z.infer<typeof executionBodySchema>;
