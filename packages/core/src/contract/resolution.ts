import { z } from "zod";
import { parseItemKey } from "../record/index.ts";
import { actionReasonSchema, commandIdSchema, FINDINGS } from "./command.ts";
import { bodyHead } from "./version.ts";

/** What a person found out about a call of unknown outcome, and the command (`id`) by which they said so. */
export const resolutionFields = {
  ...bodyHead,
  id: commandIdSchema,
  itemKey: z.string().refine((text) => parseItemKey(text) !== null, "not an item key"),
  finding: z.enum(FINDINGS),
  by: z.string().min(1).max(128),
  reason: actionReasonSchema,
};

/** The validator's order to the executors of a pool to end a call as a person found it. */
export const resolutionBodySchema = z.strictObject({ ...resolutionFields, pool: z.string() });
export type ResolutionBody = z.infer<typeof resolutionBodySchema>;
