import { z } from "zod";
import { ITEM_FLAGS, RESPONSE_FLAGS } from "../wire/index.ts";
import { itemStateSchema } from "../call/index.ts";
import { RISKS } from "../policy/index.ts";
import { approverSchema } from "./ask.ts";
import { FINDINGS } from "./command.ts";
import { count, errorClass } from "./version.ts";

const attempt = { turn: count.min(1), attempt: count.min(1) };

/**
 * What the stream `:events` of a run tells: identifiers, sizes, classes and decisions, never content.
 * A tool that is not registered appears as `(unregistered)`, since its name is the model's own text.
 */
export const runEventSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("run_admitted"), route: z.string(), model: z.string() }),
  z.strictObject({ type: z.literal("attempt_opened"), ...attempt, reason: errorClass.nullable() }),
  z.strictObject({ type: z.literal("attempt_parked"), ...attempt, route: z.string() }),
  z.strictObject({ type: z.literal("attempt_begun"), ...attempt }),
  z.strictObject({
    type: z.literal("attempt_committed"),
    ...attempt,
    raw: z.string().nullable(),
    outcome: z.string(),
    errorClass: errorClass.nullable(),
    items: count,
    flags: z.array(z.enum(RESPONSE_FLAGS)).exactOptional(),
  }),
  z.strictObject({
    type: z.literal("item_state"),
    itemKey: z.string(),
    state: itemStateSchema,
    tool: z.string().nullable(),
    rule: z.string().nullable(),
    errorClass: errorClass.nullable(),
    bytes: count.nullable(),
    flags: z.array(z.enum(ITEM_FLAGS)).exactOptional(),
  }),
  z.strictObject({
    type: z.literal("approval_requested"),
    itemKey: z.string(),
    tool: z.string(),
    risk: z.enum(RISKS),
    quorum: count.min(1),
    request: count.min(1),
    expiresAt: z.int().min(0),
  }),
  /** its job was promoted, and no answer, or not enough of them, says that it may run: it is parked again */
  z.strictObject({ type: z.literal("approval_unsigned"), itemKey: z.string() }),
  z.strictObject({
    type: z.literal("approval_answered"),
    itemKey: z.string(),
    answer: z.enum(["approve", "deny"]),
    by: approverSchema,
    /** how many more have to approve */
    missing: count,
  }),
  z.strictObject({ type: z.literal("run_bound"), pool: z.string() }),
  /** a call is due, and no pool has a live executor */
  z.strictObject({ type: z.literal("pool_awaited") }),
  z.strictObject({ type: z.literal("turn_closed"), turn: count.min(1) }),
  z.strictObject({ type: z.literal("cancel_requested"), by: z.string() }),
  /** the reason stands in the audit: it is a person's own text */
  z.strictObject({
    type: z.literal("call_resolved"),
    itemKey: z.string(),
    finding: z.enum(FINDINGS),
    by: z.string(),
  }),
  z.strictObject({ type: z.literal("run_requeued"), by: z.string(), turn: count.min(1) }),
  z.strictObject({ type: z.literal("run_abandoned"), by: z.string() }),
  z.strictObject({
    type: z.literal("run_ended"),
    state: z.string(),
    errorClass: errorClass.nullable(),
  }),
]);
export type RunEvent = z.infer<typeof runEventSchema>;
