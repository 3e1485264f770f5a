import { z } from "zod";
import { RISKS } from "../policy/index.ts";
import { parseItemKey } from "../record/index.ts";
import { bodyHead, count, digest, errorClass } from "./version.ts";

const time = z.int().min(0);

/** 100 random bits, drawn for each question. */
export const nonceSchema = z.string().regex(/^[0-9a-z]{20}$/);

/** What a question and every answer to it are bound to, `nonce` being the question's own. */
const bound = {
  ...bodyHead,
  itemKey: z.string().refine((text) => parseItemKey(text) !== null, "not an item key"),
  argumentsDigest: digest,
  policyDigest: digest,
  nonce: nonceSchema,
  /** no answer counts from here on, in milliseconds of Redis' clock */
  expiresAt: time,
};

export const approverSchema = z.string().min(1).max(128);

/**
 * The validator's question whether a call may run. `request` counts the questions about this item: one that is asked
 * anew, because the policy changed meanwhile, has another nonce.
 */
export const askBodySchema = z.strictObject({
  ...bound,
  request: count.min(1),
  tool: z.string(),
  effect: z.enum(["read", "idempotent", "mutating"]),
  risk: z.enum(RISKS),
  /** how many people have to approve */
  quorum: count.min(1),
  /** who may not: the one who submitted the run */
  requestedBy: z.string(),
  /** why it is asked although policy allows the call itself */
  errorClass: errorClass.exactOptional(),
  /** the older call whose effect this one may repeat */
  repeats: z
    .string()
    .refine((text) => parseItemKey(text) !== null, "not an item key")
    .exactOptional(),
  askedAt: time,
});
export type AskBody = z.infer<typeof askBodySchema>;

/** One person's answer. It travels on no queue: it lies in the run's `:approval:`, and promoting the job only wakes the validator. */
export const approvalBodySchema = z.strictObject({
  ...bound,
  answer: z.enum(["approve", "deny"]),
  approver: approverSchema,
  reason: z.string().max(500),
  answeredAt: time,
});
export type ApprovalBody = z.infer<typeof approvalBodySchema>;
