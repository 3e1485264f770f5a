import { z } from "zod";

const callId = z.string().min(1);
const textPart = z.strictObject({ type: z.literal("text"), text: z.string() });

const promptMessage = z.strictObject({
  role: z.enum(["system", "developer", "user"]),
  content: z.union([z.string().min(1), z.array(textPart).min(1)]),
});

const call = {
  id: callId,
  // Providers put signatures beside the call, and want them back.
  extra_content: z.unknown().exactOptional(),
};
const toolCall = z.discriminatedUnion("type", [
  z.looseObject({
    ...call,
    type: z.literal("function"),
    function: z.looseObject({ name: z.string().min(1), arguments: z.string().refine(isJson, "not JSON") }),
  }),
  z.looseObject({
    ...call,
    type: z.literal("custom"),
    custom: z.looseObject({ name: z.string().min(1), input: z.string() }),
  }),
]);

/** Fields of other names are what a provider adds of its own: they are compared with the recorded answer instead. */
const answerMessage = z
  .looseObject({
    role: z.literal("assistant"),
    content: z.string().nullable().exactOptional(),
    refusal: z.string().nullable().exactOptional(),
    tool_calls: z.array(toolCall).min(1).exactOptional(),
  })
  .refine((message) => message.content || message.refusal || message.tool_calls, {
    message: "an assistant message needs content, a refusal or tool_calls",
    path: ["content"],
  });

const resultMessage = z.strictObject({
  role: z.literal("tool"),
  tool_call_id: callId,
  content: z.union([z.string(), z.array(textPart).min(1)]),
});

/** One message: the kinds that a client which runs its own tools has reason to send. */
export const messageSchema = z.discriminatedUnion("role", [promptMessage, answerMessage, resultMessage]);

type Message = z.infer<typeof messageSchema>;

/** What is known of a message: without the fields that providers add. */
export type ChatMessage = Known<Message>;

type Known<T> = T extends readonly (infer Member)[]
  ? Known<Member>[]
  : T extends object
    ? { [Key in keyof T as string extends Key ? never : Key]: Known<T[Key]> }
    : T;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // What providers do with such a conversation: they refuse all of it.
    return false;
  }
}
