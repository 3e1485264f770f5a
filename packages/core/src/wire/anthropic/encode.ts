// Takes a conversation and the run's tools, gives the body of POST /v1/messages as text; refuses nothing: the
// protocol has a parameter for all that a run may ask. Assistant content goes back block by block as it came.
import { assertNever } from "../../fault/index.ts";
import type { JsonObject, JsonValue } from "../../json/index.ts";
import type { EncodeInput, EncodeTool } from "../adapter.ts";
import type { ConversationEntry } from "../conversation.ts";
import { noHostedAnswer } from "../no-hosted-answer.ts";
import { object, text } from "../fields.ts";
import { samplingParameters } from "../sampling.ts";

export const SUPPORTS = { stopSequences: true } as const;

/** The protocol has no default of its own; every current model takes this much. */
const DEFAULT_MAX_TOKENS = 8_192;

export function encode(input: EncodeInput): string {
  const instructions = input.entries.flatMap((entry) => (entry.type === "instructions" ? [entry.text] : []));
  const fields: readonly (readonly [string, string])[] = [
    ["model", JSON.stringify(input.model)],
    ["max_tokens", JSON.stringify(input.maxOutputTokens ?? DEFAULT_MAX_TOKENS)],
    ...(instructions.length === 0 ? [] : [["system", JSON.stringify(instructions.join("\n\n"))] as const]),
    ["messages", JSON.stringify(encodeEntries(input.entries))],
    ...(input.tools.length === 0 ? [] : encodeTools(input.tools, input.parallelToolCalls)),
    ...(input.stopSequences.length === 0
      ? []
      : [["stop_sequences", JSON.stringify(input.stopSequences)] as const]),
    ...samplingParameters(input),
    ["stream", JSON.stringify(input.stream)],
  ];
  return `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`;
}

function encodeTools(
  tools: readonly EncodeTool[],
  parallelToolCalls: boolean,
): readonly (readonly [string, string])[] {
  const choice = { type: "auto", disable_parallel_tool_use: true };
  return [
    ["tools", `[${tools.map((tool) => encodeTool(tool)).join(",")}]`],
    ...(parallelToolCalls ? [] : [["tool_choice", JSON.stringify(choice)] as const]),
  ];
}

/** The schema is text inside text: the model gets the very bytes that are enforced later. */
function encodeTool(tool: EncodeTool): string {
  const name = JSON.stringify(tool.name);
  const description = JSON.stringify(tool.description);
  return `{"name":${name},"description":${description},"input_schema":${tool.schemaText}}`;
}

interface Message {
  readonly role: "user" | "assistant";
  readonly content: JsonValue[];
}

/** Roles take turns: all results of a turn, and what people say after it, stand in one message of the user's. */
function encodeEntries(entries: readonly ConversationEntry[]): readonly Message[] {
  const messages: Message[] = [];
  const toolsets = new Map<string, JsonValue>();
  for (const entry of entries) {
    const blocks = encodeEntry(entry, toolsets);
    if (blocks.length === 0) continue;
    const role = entry.type === "model_output" ? "assistant" : "user";
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else messages.push({ role, content: [...blocks] });
  }
  return messages.map((message) => resultsFirst(message));
}

/** `toolsets` remembers which calls named a toolset, since their results have to name it again. */
function encodeEntry(entry: ConversationEntry, toolsets: Map<string, JsonValue>): readonly JsonValue[] {
  switch (entry.type) {
    case "instructions":
      return [];
    case "user":
    case "correction":
      return [{ type: "text", text: entry.text }];
    case "model_output":
      for (const { id, toolset_name: toolset } of entry.items) {
        if (typeof id === "string" && typeof toolset === "string") toolsets.set(id, toolset);
      }
      return entry.items.filter((block) => !isRefusedText(block));
    case "call_result": {
      const toolset = toolsets.get(entry.callId);
      return [
        {
          type: "tool_result",
          tool_use_id: entry.callId,
          content: entry.content,
          ...(entry.failed === true ? { is_error: true } : {}),
          ...(toolset === undefined ? {} : { toolset_name: toolset }),
        },
      ];
    }
    case "hosted_answer":
      return noHostedAnswer();
    default:
      return assertNever(entry);
  }
}

/** Models open text blocks that stay empty, and the API refuses a conversation that holds one. */
function isRefusedText(block: JsonObject): boolean {
  return block["type"] === "text" && text(block["text"]) === null;
}

function resultsFirst({ role, content }: Message): Message {
  if (role === "assistant") return { role, content };
  const results = content.filter((block) => isResult(block));
  return { role, content: [...results, ...content.filter((block) => !isResult(block))] };
}

function isResult(block: JsonValue): boolean {
  return object(block)?.["type"] === "tool_result";
}
