// Takes what became of a call and the item that made it, gives the item that answers it; refuses nothing: an item type
// that has no result of its own is answered like a function.
import type { JsonObject } from "../../json/index.ts";
import type { ConversationEntry } from "../conversation.ts";

type CallResult = Extract<ConversationEntry, { readonly type: "call_result" }>;

type Form = (callId: string, result: CallResult) => JsonObject;

/** By the type of the call's item. Calls of built-in tools are set aside, so that these say why they did not run. */
const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  [
    "apply_patch_call",
    (call_id, { content, failed }) => ({
      type: "apply_patch_call_output",
      call_id,
      status: failed === true ? "failed" : "completed",
      output: content,
    }),
  ],
  [
    "computer_call",
    // Its only form of result is a picture of a screen, and there is none.
    (call_id) => ({
      type: "computer_call_output",
      call_id,
      status: "incomplete",
      output: { type: "computer_screenshot" },
    }),
  ],
  ["local_shell_call", (id, { content }) => ({ type: "local_shell_call_output", id, output: content })],
  [
    "shell_call",
    (call_id, { content, failed }) => ({
      type: "shell_call_output",
      call_id,
      output: [
        {
          stdout: failed === true ? "" : content,
          stderr: failed === true ? content : "",
          outcome: { type: "exit", exit_code: failed === true ? 1 : 0 },
        },
      ],
    }),
  ],
  [
    "tool_search_call",
    (call_id) => ({
      type: "tool_search_output",
      call_id,
      execution: "client",
      status: "completed",
      tools: [],
    }),
  ],
]);

/** A call made by a provider-side program names its caller, and its result has to name it again. */
export function encodeResult(result: CallResult, call: JsonObject | undefined): JsonObject {
  const { callId, content, argumentsKind } = result;
  const type = argumentsKind === "json" ? "function_call_output" : "custom_tool_call_output";
  const form = FORMS.get(typeof call?.["type"] === "string" ? call["type"] : "");
  const caller = call?.["caller"] ?? null;
  return {
    ...(form?.(callId, result) ?? { type, call_id: callId, output: content }),
    ...(caller === null ? {} : { caller }),
  };
}
