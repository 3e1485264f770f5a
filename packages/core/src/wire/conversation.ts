import { z } from "zod";
import type { JsonObject } from "../json/index.ts";
import { FAMILIES } from "./family.ts";

/** Only looks, never copies: what a provider sent is sent back as it came. */
const verbatimItem = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "not a JSON object",
);

/** One entry of a run's append-only conversation, in the order in which the model is to see it. */
export const conversationEntrySchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("instructions"), text: z.string() }).readonly(),
  z.strictObject({ type: z.literal("user"), text: z.string() }).readonly(),
  z
    .strictObject({
      type: z.literal("model_output"),
      family: z.enum(FAMILIES),
      attempt: z.string().min(1),
      items: z.array(verbatimItem).readonly(),
    })
    .readonly(),
  z
    .strictObject({
      type: z.literal("call_result"),
      itemKey: z.string().min(1),
      /** Empty where the family sent none: then the item key alone says which call this answers. */
      callId: z.string(),
      argumentsKind: z.enum(["json", "text"]),
      content: z.string(),
      /** The content says why the call did not run, or what went wrong. */
      failed: z.boolean().optional(),
    })
    .readonly(),
  /** what was decided on a hosted tool's request for approval */
  z
    .strictObject({
      type: z.literal("hosted_answer"),
      itemKey: z.string().min(1),
      requestId: z.string().min(1),
      approve: z.boolean(),
    })
    .readonly(),
  z.strictObject({ type: z.literal("correction"), text: z.string() }).readonly(),
]);

export type ConversationEntry = z.infer<typeof conversationEntrySchema>;
