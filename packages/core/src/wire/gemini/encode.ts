// Takes a conversation and the run's tools, gives the body of POST :streamGenerateContent as text; refuses a result
// of a call that is not in the conversation. Parts of the model go back as they came, signatures included.
import { AirlockError, assertNever } from "../../fault/index.ts";
import type { JsonObject, JsonValue } from "../../json/index.ts";
import type { EncodeInput, EncodeTool } from "../adapter.ts";
import type { ConversationEntry } from "../conversation.ts";
import { noHostedAnswer } from "../no-hosted-answer.ts";
import { object, text } from "../fields.ts";
import { samplingOf } from "../sampling.ts";

export const SUPPORTS = { stopSequences: true } as const;

export function path(model: string, mode: "stream" | "buffered" = "stream"): string {
  const name = encodeURIComponent(model.replace(/^models\//, ""));
  const operator = mode === "stream" ? "streamGenerateContent?alt=sse" : "generateContent";
  return `/v1beta/models/${name}:${operator}`;
}

/** Whether to stream is said by the path, and parallel calls can't be turned off: the run orders them itself. */
export function encode(input: EncodeInput): string {
  const instructions = input.entries.flatMap((entry) => (entry.type === "instructions" ? [entry.text] : []));
  const system = { parts: [{ text: instructions.join("\n\n") }] };
  const generation = generationConfig(input);
  const fields: readonly (readonly [string, string])[] = [
    ...(instructions.length === 0 ? [] : [["systemInstruction", JSON.stringify(system)] as const]),
    ["contents", JSON.stringify(encodeEntries(input.entries))],
    ...(input.tools.length === 0 ? [] : encodeTools(input.tools)),
    ...(Object.keys(generation).length === 0
      ? []
      : [["generationConfig", JSON.stringify(generation)] as const]),
  ];
  return `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`;
}

function generationConfig({ maxOutputTokens, stopSequences, ...input }: EncodeInput): JsonObject {
  return {
    ...samplingOf(input),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    ...(stopSequences.length === 0 ? {} : { stopSequences }),
  };
}

function encodeTools(tools: readonly EncodeTool[]): readonly (readonly [string, string])[] {
  const declarations = tools.map((tool) => encodeTool(tool)).join(",");
  return [
    ["tools", `[{"functionDeclarations":[${declarations}]}]`],
    ["toolConfig", JSON.stringify({ functionCallingConfig: { mode: "AUTO" } })],
  ];
}

/** The schema is text inside text: the model gets the very bytes that are enforced later. */
function encodeTool(tool: EncodeTool): string {
  const name = JSON.stringify(tool.name);
  const description = JSON.stringify(tool.description);
  return `{"name":${name},"description":${description},"parametersJsonSchema":${tool.schemaText}}`;
}

type Output = Extract<ConversationEntry, { readonly type: "model_output" }>;
type Result = Extract<ConversationEntry, { readonly type: "call_result" }>;

interface Content {
  readonly role: "user" | "model";
  readonly parts: JsonValue[];
}

/** All results of a turn stand in one content: the API wants as many as the turn had calls. */
function encodeEntries(entries: readonly ConversationEntry[]): readonly Content[] {
  const outputs = new Map<string, Output>();
  const contents: Content[] = [];
  let results: Content | null = null;
  for (const entry of entries) {
    if (entry.type === "call_result") {
      if (results === null) contents.push((results = { role: "user", parts: [] }));
      results.parts.push(encodeResult(entry, findCall(outputs, entry)));
      continue;
    }
    results = null;
    if (entry.type === "model_output") outputs.set(entry.attempt, entry);
    const content = encodeEntry(entry);
    if (content !== null) contents.push(content);
  }
  return contents;
}

function encodeEntry(entry: Exclude<ConversationEntry, Result>): Content | null {
  switch (entry.type) {
    case "instructions":
      return null;
    case "user":
    case "correction":
      return { role: "user", parts: [{ text: entry.text }] };
    case "model_output": {
      const parts = entry.items.filter((part) => !isRefusedPart(part));
      return parts.length === 0 ? null : { role: "model", parts };
    }
    case "hosted_answer":
      return noHostedAnswer();
    default:
      return assertNever(entry);
  }
}

/** An empty text that carries nothing else: streams end in one, and the API refuses a conversation that holds it. */
function isRefusedPart(part: JsonObject): boolean {
  return part["text"] === "" && Object.keys(part).every((field) => field === "text" || field === "thought");
}

/** Older models give their calls no id: an item's key says which part of which output it was. */
function findCall(outputs: ReadonlyMap<string, Output>, { itemKey, callId }: Result): JsonObject {
  const cut = itemKey.lastIndexOf(".");
  const items = outputs.get(itemKey.slice(0, cut))?.items ?? [];
  const call = object(items[Number(itemKey.slice(cut + 1))]?.["functionCall"]);
  if (call === null || (text(call["id"]) ?? "") !== callId) {
    throw new AirlockError("RECORD_INVALID", "a result answers a call that the conversation does not hold");
  }
  return call;
}

function encodeResult(entry: Result, call: JsonObject): JsonValue {
  const id = text(call["id"]);
  return {
    functionResponse: {
      ...(id === null ? {} : { id }),
      name: text(call["name"]) ?? "",
      response: entry.failed === true ? { error: entry.content } : { output: entry.content },
    },
  };
}
