// In comes one model turn as plain data, out comes it as the Responses API writes it, event by event or as one body.

import { assertNever } from "@airlock/core/fault";
import type { JsonObject } from "@airlock/core/json";
import {
  CREATED_AT,
  deltas,
  eventFrame,
  identifier,
  MODEL,
  sealed,
  tokens,
  type ComposedItem,
  type ComposedTurn,
  type Composer,
  type Frame,
} from "./turn.ts";

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface ItemParts {
  readonly opened: JsonObject;
  readonly inner: readonly Event[];
  readonly finished: JsonObject;
}

export const responsesComposer: Composer = {
  stream(turn) {
    const frames: Frame[] = [];
    const emit = (type: string, fields: object, args = ""): void => {
      frames.push(eventFrame(type, { sequence_number: frames.length, ...fields }, args));
    };
    const output = outputOf(turn);
    emit("response.created", { response: snapshot(turn.id, "in_progress", []) });
    emit("response.in_progress", { response: snapshot(turn.id, "in_progress", []) });
    output.forEach(({ opened, finished, inner }, index) => {
      emit("response.output_item.added", { output_index: index, item: opened });
      for (const { type, ...fields } of inner) {
        const args = type === ARGUMENTS_DELTA ? String(fields["delta"]) : "";
        emit(type, { item_id: finished["id"], output_index: index, ...fields }, args);
      }
      emit("response.output_item.done", { output_index: index, item: finished });
    });
    emit("response.completed", { response: completed(turn, output) });
    return frames;
  },
  body: (turn) => completed(turn, outputOf(turn)),
};

const ARGUMENTS_DELTA = "response.function_call_arguments.delta";

function outputOf({ id, items }: ComposedTurn): readonly ItemParts[] {
  return items.map((item, index) => itemParts(item, `${id}${index}`));
}

function completed({ id }: ComposedTurn, output: readonly ItemParts[]): JsonObject {
  return snapshot(
    id,
    "completed",
    output.map(({ finished }) => finished),
  );
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
      ...deltas(text).map((delta) => ({ type: ARGUMENTS_DELTA, delta })),
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
