// In comes one model turn as plain data, out comes the text of its Responses stream, event by event in the API's order.

import { createHash } from "node:crypto";

/** Uneven on purpose: readers must not depend on where a delta ends. Counted in code points. */
const DELTA_SIZES = [1, 7, 3, 12, 2, 5, 17, 4];
const CREATED_AT = 1_767_225_600;
const MODEL = "demo-model";

/** The stream of a turn: `{ id, items }`, where `id` seeds the turn's identifiers and items are made below. */
export function responsesStream(turn) {
  const events = [];
  const emit = (type, fields) => events.push({ type, sequence_number: events.length, ...fields });
  const output = turn.items.map((item, index) => itemParts(item, `${turn.id}${index}`));
  emit("response.created", { response: snapshot(turn.id, "in_progress", []) });
  emit("response.in_progress", { response: snapshot(turn.id, "in_progress", []) });
  output.forEach(({ opened, finished, inner }, index) => {
    emit("response.output_item.added", { output_index: index, item: opened });
    for (const { type, ...fields } of inner) {
      emit(type, { item_id: finished.id, output_index: index, ...fields });
    }
    emit("response.output_item.done", { output_index: index, item: finished });
  });
  const items = output.map(({ finished }) => finished);
  emit("response.completed", { response: snapshot(turn.id, "completed", items) });
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

/** `{ kind: "reasoning", summary }`, `{ kind: "call", name, arguments }` or `{ kind: "message", text }`. */
function itemParts(item, seed) {
  switch (item.kind) {
    case "reasoning":
      return reasoningParts(item, seed);
    case "call":
      return callParts(item, seed);
    case "message":
      return messageParts(item, seed);
    default:
      throw new TypeError(`unknown kind of item: ${item.kind}`);
  }
}

function reasoningParts({ summary }, seed) {
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

function callParts({ name, arguments: args }, seed) {
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

function messageParts({ text }, seed) {
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

function snapshot(seed, status, output) {
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
function tokens(items) {
  return Math.ceil(JSON.stringify(items).length / 4);
}

function usageOf(output) {
  const outputTokens = tokens(output);
  const reasoningTokens = tokens(output.filter(({ type }) => type === "reasoning"));
  const inputTokens = 1200 + outputTokens;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: Math.min(reasoningTokens, outputTokens) },
    total_tokens: inputTokens + outputTokens,
  };
}

function deltas(text) {
  const letters = [...text];
  const pieces = [];
  for (let at = 0; at < letters.length;) {
    const size = DELTA_SIZES[pieces.length % DELTA_SIZES.length];
    pieces.push(letters.slice(at, at + size).join(""));
    at += size;
  }
  return pieces;
}

function identifier(prefix, seed) {
  return `${prefix}_${digest(`${prefix} ${seed}`, "hex").slice(0, 48)}`;
}

/** Stands for what only the provider can open. */
function sealed(seed, blocks) {
  const parts = Array.from({ length: blocks }, (_, index) => digest(`${seed} sealed ${index}`, "base64url"));
  return `gAAAAAB${parts.join("")}`;
}

function digest(text, encoding) {
  return createHash("sha256").update(text).digest(encoding);
}
