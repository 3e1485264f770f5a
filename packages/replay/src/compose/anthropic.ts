// In comes one model turn as plain data, out comes it as the Messages API writes it, event by event or as one body.

import { assertNever } from "@airlock/core/fault";
import type { JsonObject } from "@airlock/core/json";
import {
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

/** A content block: as it is opened, what is added to it, and as it is in the end. */
interface BlockParts {
  readonly opened: JsonObject;
  readonly deltas: readonly { readonly delta: JsonObject; readonly arguments?: string }[];
  readonly finished: JsonObject;
}

export const anthropicComposer: Composer = {
  stream(turn) {
    const blocks = blocksOf(turn);
    const usage = usageOf(blocks);
    const unfinished = { content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
    return [
      eventFrame("message_start", { message: { ...messageOf(turn, blocks), ...unfinished } }),
      eventFrame("ping", {}),
      ...blocks.flatMap((block, index) => blockFrames(block, index)),
      eventFrame("message_delta", {
        delta: { stop_reason: stopReason(turn), stop_sequence: null },
        usage: { output_tokens: usage["output_tokens"] },
      }),
      eventFrame("message_stop", {}),
    ];
  },
  body: (turn) => messageOf(turn, blocksOf(turn)),
};

function blockFrames({ opened, deltas: changes }: BlockParts, index: number): readonly Frame[] {
  return [
    eventFrame("content_block_start", { index, content_block: opened }),
    ...changes.map(({ delta, arguments: args }) => eventFrame("content_block_delta", { index, delta }, args)),
    eventFrame("content_block_stop", { index }),
  ];
}

function blocksOf({ id, items }: ComposedTurn): readonly BlockParts[] {
  return items.map((item, index) => blockParts(item, `${id}${index}`));
}

function blockParts(item: ComposedItem, seed: string): BlockParts {
  switch (item.kind) {
    case "reasoning": {
      const type = "thinking";
      const signature = sealed(seed, 4);
      const pieces = deltas(item.summary).map((piece) => ({
        delta: { type: "thinking_delta", thinking: piece },
      }));
      return {
        opened: { type, thinking: "", signature: "" },
        deltas: [...pieces, { delta: { type: "signature_delta", signature } }],
        finished: { type, thinking: item.summary, signature },
      };
    }
    case "message":
      return {
        opened: { type: "text", text: "" },
        deltas: deltas(item.text).map((piece) => ({ delta: { type: "text_delta", text: piece } })),
        finished: { type: "text", text: item.text },
      };
    case "call": {
      const opened = { type: "tool_use", id: identifier("toolu", seed).slice(0, 30), name: item.name };
      // the first fragment is empty, as it mostly is
      const pieces = ["", ...deltas(JSON.stringify(item.arguments))];
      return {
        opened: { ...opened, input: {} },
        deltas: pieces.map((piece) => ({
          delta: { type: "input_json_delta", partial_json: piece },
          arguments: piece,
        })),
        finished: { ...opened, input: item.arguments },
      };
    }
    default:
      return assertNever(item);
  }
}

function messageOf(turn: ComposedTurn, blocks: readonly BlockParts[]): JsonObject {
  return {
    id: identifier("msg", turn.id),
    type: "message",
    role: "assistant",
    model: MODEL,
    content: blocks.map(({ finished }) => finished),
    stop_reason: stopReason(turn),
    stop_sequence: null,
    usage: usageOf(blocks),
  };
}

function stopReason({ items }: ComposedTurn): string {
  return items.some(({ kind }) => kind === "call") ? "tool_use" : "end_turn";
}

function usageOf(blocks: readonly BlockParts[]): JsonObject {
  const output = tokens(blocks.map(({ finished }) => finished));
  return { input_tokens: 1200 + output, output_tokens: output };
}
