import { z } from "zod";
import { bodyHead, count, digest } from "./version.ts";

/** One request that the streamer shall send: everything but the conversation, which it reads itself. */
export const turnBodySchema = z.strictObject({
  ...bodyHead,
  turn: count.min(1),
  attempt: count.min(1),
  route: z.string(),
  model: z.string(),
  tools: z.array(z.strictObject({ name: z.string(), digest })),
  maxOutputTokens: count.nullable(),
  stopSequences: z.array(z.string()),
  parallelToolCalls: z.boolean(),
});
export type TurnBody = z.infer<typeof turnBodySchema>;
