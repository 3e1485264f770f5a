import { z } from "zod";

const callId = z.string().regex(/^[A-Za-z0-9_-]+$/u);
// The API refuses a text block of white space.
const text = z.string().regex(/\S/u, "a text block has to hold text");
const textBlock = z.strictObject({
  type: z.literal("text"),
  text,
  // Compared with the recorded answer, so their own shapes don't matter.
  citations: z
    .array(z.custom<never>(() => true))
    .nullable()
    .exactOptional(),
});

const toolUse = z.strictObject({
  type: z.literal("tool_use"),
  id: callId,
  name: z.string().min(1),
  input: z.record(z.string(), z.unknown()),
  caller: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("direct") }),
      z.strictObject({
        type: z.enum(["code_execution_20250825", "code_execution_20260120"]),
        tool_id: z.string(),
      }),
    ])
    .exactOptional(),
  toolset_name: z.string().nullable().exactOptional(),
});

const toolResult = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: callId,
  content: z.union([z.string(), z.array(z.strictObject({ type: z.literal("text"), text }))]).exactOptional(),
  is_error: z.boolean().exactOptional(),
  toolset_name: z.string().nullable().exactOptional(),
});

const modelBlocks = [
  textBlock,
  z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string().min(1) }),
  z.strictObject({ type: z.literal("redacted_thinking"), data: z.string().min(1) }),
  toolUse,
] as const;

/** What the provider did by itself. Only the comparison with the recorded answer says whether it is whole. */
const providerBlock = z.looseObject({
  type: z.enum([
    "advisor_tool_result",
    "bash_code_execution_tool_result",
    "code_execution_tool_result",
    "compaction",
    "container_upload",
    "fallback",
    "mcp_tool_listing",
    "mcp_tool_result",
    "mcp_tool_use",
    "server_tool_use",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "web_fetch_tool_result",
    "web_search_tool_result",
  ]),
});

const userMessage = z.strictObject({
  role: z.literal("user"),
  content: z.union([text, z.array(z.discriminatedUnion("type", [textBlock, toolResult])).min(1)]),
});

/** An assistant message is always one that the model wrote, so it comes in blocks: a made-up text is refused. */
const assistantMessage = z.strictObject({
  role: z.literal("assistant"),
  content: z.array(z.discriminatedUnion("type", [...modelBlocks, providerBlock])).min(1),
});

export const messageSchema = z.discriminatedUnion("role", [userMessage, assistantMessage]);

export type Message = z.infer<typeof messageSchema>;

/** A message of blocks whose shape is checked here. */
export type CheckedMessage =
  | z.infer<typeof userMessage>
  | { readonly role: "assistant"; readonly content: z.infer<(typeof modelBlocks)[number]>[] };
