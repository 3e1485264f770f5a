// Takes a conversation and the run's tools, gives the body of POST /v1/chat/completions as text. The whole
// conversation is sent each time: this protocol keeps no state.
import { assertNever } from "../../fault/index.ts";
import { isJsonArray, type JsonObject, type JsonValue } from "../../json/index.ts";
import type { EncodeInput, EncodeTool } from "../adapter.ts";
import { carriedArguments } from "../carried-arguments.ts";
import type { ConversationEntry } from "../conversation.ts";
import { noHostedAnswer } from "../no-hosted-answer.ts";
import { object } from "../fields.ts";
import { samplingParameters } from "../sampling.ts";

export const SUPPORTS = { stopSequences: true } as const;

export function encode(input: EncodeInput): string {
  const { tools, maxOutputTokens, stopSequences } = input;
  const fields: readonly (readonly [string, string])[] = [
    ["model", JSON.stringify(input.model)],
    ["messages", JSON.stringify(input.entries.flatMap((entry) => encodeEntry(entry)))],
    ...(tools.length === 0
      ? []
      : ([
          ["tools", `[${tools.map((tool) => encodeTool(tool)).join(",")}]`],
          ["parallel_tool_calls", JSON.stringify(input.parallelToolCalls)],
        ] as const)),
    ...(maxOutputTokens === null
      ? []
      : [["max_completion_tokens", JSON.stringify(maxOutputTokens)] as const]),
    ...(stopSequences.length === 0 ? [] : [["stop", JSON.stringify(stopSequences)] as const]),
    ...samplingParameters(input),
    ["stream", JSON.stringify(input.stream)],
    // Without it there is no usage in a stream, and no way to see a budget that was used up.
    ["stream_options", JSON.stringify({ include_usage: true })],
  ];
  return `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`;
}

/** The schema is text inside text: the model gets the very bytes that are enforced later. */
function encodeTool(tool: EncodeTool): string {
  const name = JSON.stringify(tool.name);
  const description = JSON.stringify(tool.description);
  return `{"type":"function","function":{"name":${name},"description":${description},"parameters":${tool.schemaText}}}`;
}

function encodeEntry(entry: ConversationEntry): readonly JsonValue[] {
  switch (entry.type) {
    case "instructions":
      return [{ role: "system", content: entry.text }];
    case "user":
    case "correction":
      return [{ role: "user", content: entry.text }];
    case "model_output":
      return entry.items.map((message) => withCarriedArguments(message));
    case "call_result":
      return [{ role: "tool", tool_call_id: entry.callId, content: entry.content }];
    case "hosted_answer":
      return noHostedAnswer();
    default:
      return assertNever(entry);
  }
}

function withCarriedArguments(message: JsonObject): JsonObject {
  const calls = message["tool_calls"];
  if (calls === undefined || !isJsonArray(calls)) return message;
  return { ...message, tool_calls: calls.map((call) => carryCall(call)) };
}

function carryCall(value: JsonValue): JsonValue {
  const call = object(value);
  const body = object(call?.["function"]);
  const content = body?.["arguments"];
  if (call === null || body === null || typeof content !== "string") return value;
  return { ...call, function: { ...body, arguments: carriedArguments(content) } };
}
