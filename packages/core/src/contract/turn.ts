import { z } from "zod";
import { bodyHead, count, digest } from "./version.ts";

/** A text that ends the output, and what the run takes the output for when it does. */
export const stopSequenceSchema = z.strictObject({
  sequence: z.string().min(1).max(256),
  meaning: z.enum(["complete", "truncated"]),
});

/** How the model chooses, where the run says so; not every model takes these. */
export const samplingFields = {
  temperature: z.number().min(0).max(2).exactOptional(),
  topP: z.number().min(0).max(1).exactOptional(),
};

/** One request that the streamer shall send: everything but the conversation, which it reads itself. */
export const turnBodySchema = z.strictObject({
  ...bodyHead,
  turn: count.min(1),
  attempt: count.min(1),
  route: z.string(),
  model: z.string(),
  tools: z.array(z.strictObject({ name: z.string(), digest })),
  maxOutputTokens: count.nullable(),
  /** the run's stop sequences, sealed: they are the spec's own text; null for none */
  stopSequences: z.string().max(8_192).nullable(),
  parallelToolCalls: z.boolean(),
  ...samplingFields,
});
export type TurnBody = z.infer<typeof turnBodySchema>;
