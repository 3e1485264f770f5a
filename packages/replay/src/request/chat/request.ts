/**
 * In comes the text of a `POST /v1/chat/completions` body, out comes the request; refused is whatever the API would
 * refuse or would read in another way than a client that replays its whole conversation means it.
 */
import { z } from "zod";
import { accept, firstRefusal, refuse, type Checked } from "../../refusal.ts";
import type { PlayableRequest } from "../playable.ts";
import { parseBody } from "../shape.ts";
import { messageSchema, type ChatMessage } from "./messages.ts";
import { checkPairing } from "./pairing.ts";
import { checkTools, toolChoiceSchema, toolSchema } from "./tools.ts";

/** `max_tokens`, `functions` and `function_call` are left out: the API has given them up. */
const chatRequestSchema = z.strictObject({
  model: z.string().min(1),
  messages: z.array(messageSchema).min(1),
  tools: z.array(toolSchema).min(1).exactOptional(),
  tool_choice: toolChoiceSchema.exactOptional(),
  parallel_tool_calls: z.boolean().exactOptional(),
  max_completion_tokens: z.int().positive().nullable().exactOptional(),
  stop: z
    .union([z.string(), z.array(z.string()).min(1).max(4)])
    .nullable()
    .exactOptional(),
  // More than one would have to be told apart in every answer.
  n: z.literal(1).nullable().exactOptional(),
  stream: z.boolean().nullable().exactOptional(),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().exactOptional(),
      include_obfuscation: z.boolean().exactOptional(),
    })
    .nullable()
    .exactOptional(),
  store: z.literal(false).nullable().exactOptional(),
  reasoning_effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).nullable().exactOptional(),
  temperature: z.number().min(0).max(2).nullable().exactOptional(),
  top_p: z.number().min(0).max(1).nullable().exactOptional(),
  seed: z.int().nullable().exactOptional(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullable().exactOptional(),
  prompt_cache_key: z.string().exactOptional(),
  safety_identifier: z.string().exactOptional(),
  service_tier: z.enum(["auto", "default", "flex", "priority"]).nullable().exactOptional(),
});

type Body = z.infer<typeof chatRequestSchema>;

export type ChatRequest = Omit<Body, "messages"> & { messages: ChatMessage[] };

export function parseChatRequest(text: string): Checked<PlayableRequest> {
  const parsed = parseBody(text, chatRequestSchema);
  if (!parsed.ok) return parsed;
  const body = parsed.value;
  const fault = firstRefusal(
    () => checkCombination(body),
    () => checkTools(body.tools ?? []),
    () => checkPairing(body.messages),
  );
  if (fault !== null) return fault;
  const entries = body.messages.map((value, index) => ({
    value,
    place: `messages[${index}]`,
    byModel: value.role === "assistant",
  }));
  const mode = body.stream === true ? "stream" : "buffered";
  return accept({ model: body.model, mode, settings: body.tools, entries });
}

function checkCombination(body: Body): Checked<null> {
  if (body.stream !== true && (body.stream_options ?? null) !== null) {
    return refuse("invalid_request", "stream_options is only allowed with stream: true", "stream_options");
  }
  const orphan = (["tool_choice", "parallel_tool_calls"] as const).find((key) => body[key] !== undefined);
  if (body.tools === undefined && orphan !== undefined) {
    return refuse("invalid_request", `${orphan} is only allowed with tools`, orphan);
  }
  return accept(null);
}
