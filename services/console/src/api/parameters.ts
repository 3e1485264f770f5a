import { z } from "zod";
import { actionReasonSchema } from "@airlock/core/contract";
import { isRunId, parseItemKey } from "@airlock/core/record";
import { actionAnswerSchema } from "@airlock/core/run";

const runId = z.string().max(64).refine(isRunId, "not a run id");
const itemKey = z
  .string()
  .max(128)
  .refine((text) => parseItemKey(text) !== null, "not an item key");

export const runParams = z.object({ run: runId });
export const itemParams = z.object({ item: itemKey });

export const reason = actionReasonSchema;

/** `raw=true` also opens the content that is kept. */
export const rawQuery = z.strictObject({ raw: z.stringbool().default(false) });

/** `next` of the page before; without it, the first page. */
export const pageQuery = z.strictObject({
  cursor: z.string().max(160).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

/** What a validator said of an order; `answer` is null where it has not yet: the order waits. */
export const answeredSchema = z.strictObject({ id: z.string(), answer: actionAnswerSchema.nullable() });

/** How long an order's answer is waited for before the answer is 202. */
export const ANSWER_MS = 10_000;
