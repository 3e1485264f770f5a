/**
 * In comes the text of a `POST /v1/messages` body, out comes the request; refused is whatever the API would refuse or
 * would read in another way than a client that replays its whole conversation means it.
 */
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { accept, firstRefusal, refuse, type Checked } from "../../refusal.ts";
import type { PlayableRequest } from "../playable.ts";
import { parseBody } from "../shape.ts";
import { messageSchema, type CheckedMessage, type Message } from "./blocks.ts";
import { checkPairing } from "./pairing.ts";
import { checkTools, toolChoiceSchema, toolSchema } from "./tools.ts";

const VERSION = "2023-06-01";

const anthropicRequestSchema = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().positive(),
  messages: z.array(messageSchema).min(1),
  system: z
    .union([
      z.string().min(1),
      z.array(z.strictObject({ type: z.literal("text"), text: z.string().min(1) })).min(1),
    ])
    .exactOptional(),
  tools: z.array(toolSchema).min(1).exactOptional(),
  tool_choice: toolChoiceSchema.exactOptional(),
  stop_sequences: z.array(z.string().regex(/\S/u)).exactOptional(),
  stream: z.boolean().exactOptional(),
  thinking: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1_024) }),
      z.strictObject({ type: z.literal("adaptive") }),
      z.strictObject({ type: z.literal("disabled") }),
    ])
    .exactOptional(),
  temperature: z.number().min(0).max(1).exactOptional(),
  top_p: z.number().min(0).max(1).exactOptional(),
  top_k: z.int().min(0).exactOptional(),
  metadata: z.strictObject({ user_id: z.string().nullable().exactOptional() }).exactOptional(),
  service_tier: z.enum(["auto", "standard_only"]).exactOptional(),
});

type Body = z.infer<typeof anthropicRequestSchema>;

export type AnthropicRequest = Omit<Body, "messages"> & { messages: CheckedMessage[] };

export function checkVersion(headers: IncomingHttpHeaders): Checked<null> {
  if (headers["anthropic-version"] === VERSION) return accept(null);
  return refuse("invalid_request", `anthropic-version: has to be ${VERSION}`, "anthropic-version");
}

export function parseAnthropicRequest(text: string): Checked<PlayableRequest> {
  const parsed = parseBody(text, anthropicRequestSchema);
  if (!parsed.ok) return parsed;
  const body = parsed.value;
  const fault = firstRefusal(
    () => checkCombination(body),
    () => checkTools(body.tools ?? []),
    () => checkPairing(body.messages),
  );
  if (fault !== null) return fault;
  const { model, system, tools, messages } = body;
  const entries = messages.flatMap((message, index) => entriesOf(message, `messages[${index}].content`));
  const mode = body.stream === true ? "stream" : "buffered";
  return accept({ model, mode, settings: [system, tools], entries });
}

function checkCombination(body: Body): Checked<null> {
  if (body.tools === undefined && body.tool_choice !== undefined) {
    return refuse("invalid_request", "tool_choice is only allowed with tools", "tool_choice");
  }
  const budget = body.thinking?.type === "enabled" ? body.thinking.budget_tokens : 0;
  if (budget < body.max_tokens) return accept(null);
  return refuse("invalid_request", "has to be less than max_tokens", "thinking.budget_tokens");
}

function entriesOf(message: Message, place: string): PlayableRequest["entries"] {
  const byModel = message.role === "assistant";
  if (typeof message.content === "string") return [{ value: message.content, place, byModel }];
  return message.content.map((value, index) => ({ value, place: `${place}[${index}]`, byModel }));
}
