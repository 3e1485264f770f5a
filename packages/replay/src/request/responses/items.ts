import { z } from "zod";

const itemId = z.string().min(1);
// The API refuses longer ones.
const callId = z.string().min(1).max(64);
const status = z.enum(["in_progress", "completed", "incomplete"]);
const caller = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("direct") }),
  z.strictObject({ type: z.literal("program"), caller_id: z.string() }),
]);
const inputText = z.strictObject({ type: z.literal("input_text"), text: z.string() });

const promptMessage = z.strictObject({
  type: z.literal("message").exactOptional(),
  role: z.enum(["user", "system", "developer"]),
  content: z.union([z.string(), z.array(inputText).min(1)]),
});

// An assistant message is always one that the model wrote: a client that makes its own is refused.
const answerMessage = z.strictObject({
  type: z.literal("message"),
  id: itemId,
  role: z.literal("assistant"),
  status,
  content: z.array(
    z.discriminatedUnion("type", [
      z.strictObject({
        type: z.literal("output_text"),
        text: z.string(),
        annotations: z.array(z.never()),
        logprobs: z.array(z.never()).exactOptional(),
      }),
      z.strictObject({ type: z.literal("refusal"), refusal: z.string() }),
    ]),
  ),
  phase: z.enum(["commentary", "final_answer"]).nullable().exactOptional(),
});

const reasoning = z.strictObject({
  type: z.literal("reasoning"),
  id: itemId,
  summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string() })),
  content: z.array(z.strictObject({ type: z.literal("reasoning_text"), text: z.string() })).exactOptional(),
  encrypted_content: z.string().nullable().exactOptional(),
  status: status.exactOptional(),
});

const call = {
  id: itemId.exactOptional(),
  call_id: callId,
  name: z.string().min(1),
  namespace: z.string().exactOptional(),
  caller: caller.nullable().exactOptional(),
};
// The API's own types give a custom call no status, yet streams carry one, and it has to be replayed.
const functionCall = z.strictObject({
  ...call,
  type: z.literal("function_call"),
  arguments: z.string(),
  status: status.exactOptional(),
});
const customCall = z.strictObject({
  ...call,
  type: z.literal("custom_tool_call"),
  input: z.string(),
  status: status.exactOptional(),
});

const result = {
  id: itemId.exactOptional(),
  call_id: callId,
  output: z.union([z.string(), z.array(inputText)]),
  caller: caller.nullable().exactOptional(),
};
const functionResult = z.strictObject({
  ...result,
  type: z.literal("function_call_output"),
  status: status.exactOptional(),
});
const customResult = z.strictObject({ ...result, type: z.literal("custom_tool_call_output") });

/** A hosted tool's request for approval, replayed, and what was decided on it. */
const approvalRequest = z.strictObject({
  id: itemId,
  type: z.literal("mcp_approval_request"),
  server_label: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const approvalResponse = z.strictObject({
  type: z.literal("mcp_approval_response"),
  approval_request_id: itemId,
  approve: z.boolean(),
});

/** One item of `input`: the kinds that a client which runs its own tools has reason to send. */
export const inputItemSchema = z.discriminatedUnion("type", [
  z.discriminatedUnion("role", [promptMessage, answerMessage]),
  reasoning,
  functionCall,
  functionResult,
  customCall,
  customResult,
  approvalRequest,
  approvalResponse,
]);

export type InputItem = z.infer<typeof inputItemSchema>;
