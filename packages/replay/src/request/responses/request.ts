/**
 * In comes the text of a `POST /v1/responses` body, out comes the request; refused is whatever the API would refuse
 * or would read in another way than a client that replays its whole conversation means it.
 */
import { z } from "zod";
import { accept, firstRefusal, type Checked } from "../../refusal.ts";
import type { PlayableRequest } from "../playable.ts";
import { parseBody } from "../shape.ts";
import { checkApprovals } from "./approvals.ts";
import { inputItemSchema, type InputItem } from "./items.ts";
import { checkPairing } from "./pairing.ts";
import { checkTools, toolChoiceSchema, toolSchema } from "./tools.ts";

/** The body's shape. Keys that the API knows and that would make the answer depend on stored state are left out. */
export const responsesRequestSchema = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(inputItemSchema).min(1)]),
  instructions: z.string().nullable().exactOptional(),
  tools: z.array(toolSchema).exactOptional(),
  tool_choice: toolChoiceSchema.exactOptional(),
  parallel_tool_calls: z.boolean().nullable().exactOptional(),
  max_output_tokens: z.int().positive().nullable().exactOptional(),
  stream: z.boolean().exactOptional(),
  stream_options: z
    .strictObject({ include_obfuscation: z.boolean().exactOptional() })
    .nullable()
    .exactOptional(),
  store: z.boolean().nullable().exactOptional(),
  include: z
    .array(z.enum(["reasoning.encrypted_content"]))
    .nullable()
    .exactOptional(),
  reasoning: z
    .strictObject({
      effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).nullable().exactOptional(),
      summary: z.enum(["auto", "concise", "detailed"]).nullable().exactOptional(),
    })
    .nullable()
    .exactOptional(),
  temperature: z.number().min(0).max(2).nullable().exactOptional(),
  top_p: z.number().min(0).max(1).nullable().exactOptional(),
  truncation: z.enum(["auto", "disabled"]).nullable().exactOptional(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullable().exactOptional(),
  prompt_cache_key: z.string().nullable().exactOptional(),
  safety_identifier: z.string().nullable().exactOptional(),
  service_tier: z.enum(["auto", "default", "flex", "priority"]).nullable().exactOptional(),
});

export type ResponsesRequest = z.infer<typeof responsesRequestSchema>;

export function parseResponsesRequest(text: string): Checked<PlayableRequest> {
  const parsed = parseBody(text, responsesRequestSchema);
  if (!parsed.ok) return parsed;
  const { model, input, instructions, tools = [], stream = false } = parsed.value;
  const items: readonly InputItem[] = typeof input === "string" ? [{ role: "user", content: input }] : input;
  const fault = firstRefusal(
    () => checkTools(tools),
    () => checkPairing(items),
    () => checkApprovals(items),
  );
  if (fault !== null) return fault;
  const entries = items.map((value, index) => ({
    value,
    place: `input[${index}]`,
    byModel: isModelOutput(value),
  }));
  return accept({ model, mode: stream ? "stream" : "buffered", settings: [instructions, tools], entries });
}

function isModelOutput(item: InputItem): boolean {
  if (item.type === undefined || item.type === "message") return item.role === "assistant";
  if (item.type === "mcp_approval_request") return true;
  return item.type === "reasoning" || item.type === "function_call" || item.type === "custom_tool_call";
}
