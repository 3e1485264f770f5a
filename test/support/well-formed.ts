import type { JsonObject } from "@airlock/core/json";
import type { Family } from "@airlock/core/wire";
import { composeStream } from "@airlock/replay";

/** A call, and the lengths of the pieces in which its arguments come. */
export interface StreamedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly pieceLength: number;
}

interface Piece {
  readonly call: number;
  readonly text: string;
}

/** A whole response with these calls, exactly as each protocol says it. */
export const WELL_FORMED = {
  responses: (calls) =>
    composeStream("responses", {
      id: "well-formed",
      items: calls.map((call) => ({ kind: "call", name: call.name, arguments: call.arguments })),
    }),
  chat: (calls) => {
    const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" };
    const chunk = (delta: object, finish: string | null = null): string =>
      frame(null, { ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
    const opened = calls.map(({ id, name }, index) =>
      chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
    );
    // Pieces of parallel calls may alternate: only the index says whose they are.
    const pieces = interleave(calls.map((call, index) => piecesOf(call, index)));
    return [
      chunk({ role: "assistant", content: null }),
      ...opened,
      ...pieces.map(({ call, text }) =>
        chunk({ tool_calls: [{ index: call, function: { arguments: text } }] }),
      ),
      chunk({}, calls.length === 0 ? "stop" : "tool_calls"),
      "data: [DONE]\n\n",
    ].join("");
  },
  anthropic: (calls) => {
    const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [] };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const named = (type: string, data: object): string => frame(type, { type, ...data });
    const blocks = calls.flatMap((call, index) => [
      named("content_block_start", {
        index,
        content_block: { type: "tool_use", id: call.id, name: call.name, input: {} },
      }),
      ...piecesOf(call, index).map(({ text }) =>
        named("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: text } }),
      ),
      named("content_block_stop", { index }),
    ]);
    const stop = calls.length === 0 ? "end_turn" : "tool_use";
    return [
      named("message_start", { message: { ...message, stop_reason: null, stop_sequence: null, usage } }),
      ...blocks,
      named("message_delta", { delta: { stop_reason: stop, stop_sequence: null }, usage }),
      named("message_stop", {}),
    ].join("");
  },
  gemini: (calls) => {
    const chunk = (candidate: object): string =>
      frame(null, { candidates: [{ index: 0, ...candidate }], responseId: "r", modelVersion: "m" });
    const parts = calls.map(({ id, name, arguments: args }) => ({ functionCall: { id, name, args } }));
    return [
      ...parts.map((part) => chunk({ content: { role: "model", parts: [part] } })),
      chunk({ content: { role: "model", parts: [{ text: "." }] }, finishReason: "STOP" }),
    ].join("");
  },
} as const satisfies Record<Family, (calls: readonly StreamedCall[]) => string>;

function piecesOf({ pieceLength, arguments: args }: StreamedCall, call: number): readonly Piece[] {
  const text = JSON.stringify(args);
  const count = Math.ceil(text.length / pieceLength);
  return Array.from({ length: count }, (_, at) => ({
    call,
    text: text.slice(at * pieceLength, (at + 1) * pieceLength),
  }));
}

function interleave(lists: readonly (readonly Piece[])[]): readonly Piece[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}

function frame(event: string | null, data: object): string {
  return `${event === null ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}
