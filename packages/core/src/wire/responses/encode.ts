// Takes a conversation and the run's tools, gives the body of POST /v1/responses as text; refuses what the
// protocol has no parameter for. The whole conversation is replayed: nothing relies on state at the provider.
import { AirlockError, assertNever } from "../../fault/index.ts";
import type { JsonObject, JsonValue } from "../../json/index.ts";
import type { EncodeInput, EncodeTool } from "../adapter.ts";
import { carriedArguments } from "../carried-arguments.ts";
import type { ConversationEntry } from "../conversation.ts";
import { text } from "../fields.ts";
import { samplingParameters } from "../sampling.ts";
import { encodeResult } from "./call-result.ts";

export const SUPPORTS = { stopSequences: false } as const;

export function encode(input: EncodeInput): string {
  if (input.stopSequences.length > 0) {
    throw new AirlockError(
      "SPEC_INVALID",
      "the Responses protocol has no stop parameter; remove stopSequences or choose a route of another family",
    );
  }
  const instructions = input.entries.flatMap((entry) => (entry.type === "instructions" ? [entry.text] : []));
  const fields: readonly (readonly [string, string])[] = [
    ["model", JSON.stringify(input.model)],
    ...(instructions.length === 0
      ? []
      : [["instructions", JSON.stringify(instructions.join("\n\n"))] as const]),
    ["input", JSON.stringify(encodeEntries(input.entries))],
    ...(input.tools.length === 0 ? [] : encodeTools(input.tools, input.parallelToolCalls)),
    ...(input.maxOutputTokens === null
      ? []
      : [["max_output_tokens", JSON.stringify(input.maxOutputTokens)] as const]),
    ...samplingParameters(input),
    ["stream", JSON.stringify(input.stream)],
    ["store", "false"],
    ["include", JSON.stringify(["reasoning.encrypted_content"])],
  ];
  return `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`;
}

function encodeTools(
  tools: readonly EncodeTool[],
  parallelToolCalls: boolean,
): readonly (readonly [string, string])[] {
  return [
    ["tools", `[${tools.map((tool) => encodeTool(tool)).join(",")}]`],
    ["parallel_tool_calls", JSON.stringify(parallelToolCalls)],
  ];
}

/**
 * The schema is text inside text: the model gets the very bytes that are enforced later. `strict` has to be
 * off in so many words: its default is on, and then the provider refuses every optional property.
 */
function encodeTool(tool: EncodeTool): string {
  const name = JSON.stringify(tool.name);
  const description = JSON.stringify(tool.description);
  return `{"type":"function","name":${name},"description":${description},"parameters":${tool.schemaText},"strict":false}`;
}

function encodeEntries(entries: readonly ConversationEntry[]): readonly JsonValue[] {
  const calls = new Map<string, JsonObject>();
  return entries.flatMap((entry): readonly JsonValue[] => {
    switch (entry.type) {
      case "instructions":
        return [];
      case "user":
      case "correction":
        return [{ type: "message", role: "user", content: [{ type: "input_text", text: entry.text }] }];
      case "model_output":
        for (const item of entry.items) rememberCall(calls, item);
        return entry.items.map((item) => carryItem(item));
      case "call_result":
        return [encodeResult(entry, calls.get(entry.callId))];
      case "hosted_answer":
        return [
          {
            type: "mcp_approval_response",
            approval_request_id: entry.requestId,
            approve: entry.approve,
          },
        ];
      default:
        return assertNever(entry);
    }
  });
}

/** Every item is repeated as it came, but for arguments that no request can carry. */
function carryItem(item: JsonObject): JsonObject {
  const content = item["arguments"];
  if (item["type"] !== "function_call" || typeof content !== "string") return item;
  return { ...item, arguments: carriedArguments(content) };
}

/** Under the id that its result names. */
function rememberCall(calls: Map<string, JsonObject>, item: JsonObject): void {
  const callId = text(item["call_id"]) ?? text(item["id"]);
  if (callId !== null) calls.set(callId, item);
}
