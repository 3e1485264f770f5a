// In comes one model turn as plain data, out comes the text of its Responses stream, event by event in the API's order.

import { createHash } from "node:crypto";
import { assertNever } from "@airlock/core/fault";
import type { JsonObject } from "@airlock/core/json";

/** Uneven on purpose: readers must not depend on where a delta ends. Counted in code points. */
const DELTA_SIZES = [1, 7, 3, 12, 2, 5, 17, 4];
const CREATED_AT = 1_767_225_600;
const MODEL = "demo-model";

/** One output item of a composed turn. */
export type ComposedItem =
  | { readonly kind: "reasoning"; readonly summary: string }
  | { readonly kind: "call"; readonly name: string; readonly arguments: JsonObject }
  | { readonly kind: "message"; readonly text: string };

export interface ComposedTurn {
  /** seeds the identifiers of the turn, so that the same turn gives the same bytes */
  readonly id: string;
  readonly items: readonly ComposedItem[];
}

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface ItemParts {
  readonly opened: JsonObject;
  readonly inner: readonly Event[];
  readonly finished: JsonObject;
}

/** The text of a turn's stream, as a provider would send it. */
export function responsesStream(turn: ComposedTurn): string {
  const events: Event[] = [];
  const emit = (type: string, fields: JsonObject | Readonly<Record<string, unknown>>): void => {
    events.push({ type, sequence_number: events.length, ...fields });
  };
  const output = turn.items.map((item, index) => itemParts(item, `${turn.id}${index}`));
  emit("response.created", { response: snapshot(turn.id, "in_progress", []) });
  emit("response.in_progress", { response: snapshot(turn.id, "in_progress", []) });
  output.forEach(({ opened, finished, inner }, index) => {
    emit("response.output_item.added", { output_index: index, item: opened });
    for (const { type, ...fields } of inner) {
      emit(type, { item_id: finished["id"], output_index: index, ...fields });
    }
    emit("response.output_item.done", { output_index: index, item: finished });
  });
  const items = output.map(({ finished }) => finished);
  emit("response.completed", { response: snapshot(turn.id, "completed", items) });
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function itemParts(item: ComposedItem, seed: string): ItemParts {
  switch (item.kind) {
    case "reasoning":
      return reasoningParts(item, seed);
    case "call":
      return callParts(item, seed);
    case "message":
      return messageParts(item, seed);
    default:
      return assertNever(item);
  }
}

function reasoningParts({ summary }: Extract<ComposedItem, { kind: "reasoning" }>, seed: string): ItemParts {
  const id = identifier("rs", seed);
  const part = { type: "summary_text", text: summary };
  const at = { summary_index: 0 };
  // The sealed content of the opening event is a shorter one, as in real streams: only the finished item counts.
  return {
    opened: { id, type: "reasoning", summary: [], encrypted_content: sealed(`${seed}-open`, 1) },
    inner: [
      { type: "response.reasoning_summary_part.added", ...at, part: { ...part, text: "" } },
      ...deltas(summary).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...at, delta })),
      { type: "response.reasoning_summary_text.done", ...at, text: summary },
      { type: "response.reasoning_summary_part.done", ...at, part },
    ],
    finished: { id, type: "reasoning", summary: [part], encrypted_content: sealed(seed, 4) },
  };
}

function callParts(
  { name, arguments: args }: Extract<ComposedItem, { kind: "call" }>,
  seed: string,
): ItemParts {
  const text = JSON.stringify(args);
  const head = { id: identifier("fc", seed), type: "function_call" };
  const tail = { call_id: identifier("call", seed).slice(0, 29), name };
  return {
    opened: { ...head, status: "in_progress", arguments: "", ...tail },
    inner: [
      ...deltas(text).map((delta) => ({ type: "response.function_call_arguments.delta", delta })),
      { type: "response.function_call_arguments.done", name, arguments: text },
    ],
    finished: { ...head, status: "completed", arguments: text, ...tail },
  };
}

function messageParts({ text }: Extract<ComposedItem, { kind: "message" }>, seed: string): ItemParts {
  const head = { id: identifier("msg", seed), type: "message" };
  const at = { content_index: 0 };
  const part = { type: "output_text", annotations: [], logprobs: [], text };
  return {
    opened: { ...head, status: "in_progress", content: [], role: "assistant" },
    inner: [
      { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
      ...deltas(text).map((delta) => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] })),
      { type: "response.output_text.done", ...at, text, logprobs: [] },
      { type: "response.content_part.done", ...at, part },
    ],
    finished: { ...head, status: "completed", content: [part], role: "assistant" },
  };
}

function snapshot(seed: string, status: string, output: readonly JsonObject[]): JsonObject {
  const completed = status === "completed";
  return {
    id: identifier("resp", seed),
    object: "response",
    created_at: CREATED_AT,
    status,
    background: false,
    completed_at: completed ? CREATED_AT + 4 : null,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: MODEL,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: "medium", summary: "auto" },
    store: false,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    usage: completed ? usageOf(output) : null,
    metadata: {},
  };
}

/** Believable numbers: about four characters a token. */
function tokens(items: readonly JsonObject[]): number {
  return Math.ceil(JSON.stringify(items).length / 4);
}

function usageOf(output: readonly JsonObject[]): JsonObject {
  const outputTokens = tokens(output);
  const reasoningTokens = tokens(output.filter((item) => item["type"] === "reasoning"));
  const inputTokens = 1200 + outputTokens;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: Math.min(reasoningTokens, outputTokens) },
    total_tokens: inputTokens + outputTokens,
  };
}

function deltas(text: string): readonly string[] {
  const letters = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0; at < letters.length;) {
    const size = DELTA_SIZES[pieces.length % DELTA_SIZES.length] ?? 1;
    pieces.push(letters.slice(at, at + size).join(""));
    at += size;
  }
  return pieces;
}

function identifier(prefix: string, seed: string): string {
  return `${prefix}_${digest(`${prefix} ${seed}`, "hex").slice(0, 48)}`;
}

/** Stands for what only the provider can open. */
function sealed(seed: string, blocks: number): string {
  const parts = Array.from({ length: blocks }, (_, index) => digest(`${seed} sealed ${index}`, "base64url"));
  return `gAAAAAB${parts.join("")}`;
}

function digest(text: string, encoding: "hex" | "base64url"): string {
  return createHash("sha256").update(text).digest(encoding);
}
