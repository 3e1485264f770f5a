// In comes one model turn as plain data, out comes it as generateContent writes it, chunk by chunk or as one body.

import { assertNever } from "@airlock/core/fault";
import type { JsonObject } from "@airlock/core/json";
import {
  deltas,
  identifier,
  MODEL,
  sealed,
  tokens,
  type ComposedItem,
  type ComposedTurn,
  type Composer,
  type Frame,
} from "./turn.ts";

/** What chunks bring of one item: texts piece by piece, a call whole. */
interface Pieces {
  readonly parts: readonly JsonObject[];
  readonly whole: JsonObject;
  readonly arguments: string;
}

export const geminiComposer: Composer = {
  stream(turn) {
    const pieces = piecesOf(turn);
    const chunks = pieces.flatMap(({ parts, arguments: args }) =>
      parts.map((part) => frame(responseOf(turn, { content: { role: "model", parts: [part] } }), args)),
    );
    const last = { content: { role: "model", parts: [lastPart(turn)] }, finishReason: "STOP" };
    return [...chunks, frame({ ...responseOf(turn, last), usageMetadata: usageOf(turn) })];
  },
  body(turn) {
    const parts = [...piecesOf(turn).map(({ whole }) => whole), lastPart(turn)];
    return {
      ...responseOf(turn, { content: { role: "model", parts }, finishReason: "STOP" }),
      usageMetadata: usageOf(turn),
    };
  },
};

function frame(response: JsonObject, args = ""): Frame {
  return { text: `data: ${JSON.stringify(response)}\r\n\r\n`, arguments: args };
}

function responseOf({ id }: ComposedTurn, candidate: JsonObject): JsonObject {
  return {
    candidates: [{ ...candidate, index: 0 }],
    modelVersion: MODEL,
    responseId: identifier("resp", id),
  };
}

function piecesOf(turn: ComposedTurn): readonly Pieces[] {
  const firstCall = turn.items.findIndex(({ kind }) => kind === "call");
  return turn.items.map((item, index) => {
    const seed = `${turn.id}${index}`;
    const part = itemPieces(item, turn.withoutCallIds === true ? null : identifier("id", seed).slice(3, 11));
    // of parallel calls, the first alone is signed
    return index === firstCall ? signed(part, seed) : part;
  });
}

function itemPieces(item: ComposedItem, id: string | null): Pieces {
  switch (item.kind) {
    case "reasoning":
      return textPieces(item.summary, { thought: true });
    case "message":
      return textPieces(item.text, {});
    case "call": {
      const { name, arguments: args } = item;
      const whole = { functionCall: { ...(id === null ? {} : { id }), name, args } };
      return { parts: [whole], whole, arguments: JSON.stringify(args) };
    }
    default:
      return assertNever(item);
  }
}

function textPieces(text: string, mark: JsonObject): Pieces {
  return {
    parts: deltas(text).map((piece) => ({ text: piece, ...mark })),
    whole: { text, ...mark },
    arguments: "",
  };
}

function signed({ whole, ...call }: Pieces, seed: string): Pieces {
  const part = { ...whole, thoughtSignature: sealed(seed, 4) };
  return { ...call, whole: part, parts: [part] };
}

/** Streams end in a text without letters; where no call holds the signature of the reasoning, this part does. */
function lastPart({ id, items }: ComposedTurn): JsonObject {
  const called = items.some(({ kind }) => kind === "call");
  const reasoned = items.some(({ kind }) => kind === "reasoning");
  return { text: "", ...(reasoned && !called ? { thoughtSignature: sealed(`${id} end`, 4) } : {}) };
}

function usageOf({ items }: ComposedTurn): JsonObject {
  const candidates = tokens(items);
  const prompt = 1200 + candidates;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: candidates,
    totalTokenCount: prompt + candidates,
  };
}
