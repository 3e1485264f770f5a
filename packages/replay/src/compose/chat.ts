// In comes one model turn as plain data, out comes it as Chat Completions writes it, chunk by chunk or as one body.

import { assertNever } from "@airlock/core/fault";
import type { JsonObject } from "@airlock/core/json";
import {
  CREATED_AT,
  deltas,
  identifier,
  MODEL,
  tokens,
  type ComposedItem,
  type ComposedTurn,
  type Composer,
  type Frame,
} from "./turn.ts";

type Call = Extract<ComposedItem, { kind: "call" }>;

export const chatComposer: Composer = {
  stream(turn) {
    const chunk = (delta: object, finish: string | null = null, args = ""): Frame =>
      frame({ ...head(turn, ".chunk"), choices: [{ index: 0, delta, finish_reason: finish }] }, args);
    return [
      chunk({ role: "assistant", content: "" }),
      ...turn.items.flatMap((item) => itemChunks(turn, item, chunk)),
      chunk({}, finishReason(turn)),
      // the chunk that `include_usage` asks for: behind the finish, without a choice
      frame({ ...head(turn, ".chunk"), choices: [], usage: usageOf(turn) }),
      { text: "data: [DONE]\n\n", arguments: "" },
    ];
  },
  body(turn) {
    const joined = (kind: "message" | "reasoning"): string =>
      turn.items.flatMap((item) => (item.kind === kind ? [textOf(item)] : [])).join("");
    const content = joined("message");
    const reasoning = joined("reasoning");
    const calls = callsOf(turn).map((call) => ({
      ...identity(turn, call),
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    }));
    const message = {
      role: "assistant",
      content: content === "" ? null : content,
      ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return {
      ...head(turn, ""),
      choices: [{ index: 0, message, finish_reason: finishReason(turn) }],
      usage: usageOf(turn),
    };
  },
};

function itemChunks(
  turn: ComposedTurn,
  item: ComposedItem,
  chunk: (delta: object, finish?: null, args?: string) => Frame,
): readonly Frame[] {
  switch (item.kind) {
    case "reasoning":
      return deltas(item.summary).map((piece) => chunk({ reasoning_content: piece }));
    case "message":
      return deltas(item.text).map((piece) => chunk({ content: piece }));
    case "call": {
      const index = callsOf(turn).indexOf(item);
      const fragment = (fields: object, args = ""): Frame =>
        chunk({ tool_calls: [{ index, ...fields }] }, null, args);
      return [
        fragment({ ...identity(turn, item), function: { name: item.name, arguments: "" } }),
        ...deltas(JSON.stringify(item.arguments)).map((piece) =>
          fragment({ function: { arguments: piece } }, piece),
        ),
      ];
    }
    default:
      return assertNever(item);
  }
}

function frame(value: JsonObject | object, args = ""): Frame {
  return { text: `data: ${JSON.stringify(value)}\n\n`, arguments: args };
}

function head({ id }: ComposedTurn, kind: ".chunk" | ""): JsonObject {
  return {
    id: identifier("chatcmpl", id).replace("_", "-"),
    object: `chat.completion${kind}`,
    created: CREATED_AT,
    model: MODEL,
  };
}

function identity(turn: ComposedTurn, call: Call): JsonObject {
  const seed = `${turn.id}${turn.items.indexOf(call)}`;
  return {
    ...(turn.withoutCallIds === true ? {} : { id: identifier("call", seed).slice(0, 29) }),
    type: "function",
  };
}

function callsOf({ items }: ComposedTurn): readonly Call[] {
  return items.filter((item) => item.kind === "call");
}

function textOf(item: Exclude<ComposedItem, Call>): string {
  return item.kind === "message" ? item.text : item.summary;
}

function finishReason(turn: ComposedTurn): string {
  return callsOf(turn).length === 0 ? "stop" : "tool_calls";
}

function usageOf({ items }: ComposedTurn): JsonObject {
  const completion = tokens(items);
  const prompt = 1200 + completion;
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
