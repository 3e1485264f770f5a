import { isDeepStrictEqual } from "node:util";
import type { ReplayItem } from "@airlock/cli";
import { listAt, objectAt, type OracleMessage } from "../messages.ts";
import { plain, readText } from "../values.ts";

/** One reason to finish that asks for calls, none that doesn't, and every piece of a call before it. */
export function chatGrounds(messages: readonly OracleMessage[], calls: readonly ReplayItem[]): string | null {
  const choices = messages.flatMap((message, at) =>
    listAt(message.data, "choices").map((choice) => ({ at, choice })),
  );
  const finishes = choices.filter(({ choice }) => (choice["finish_reason"] ?? "") !== "");
  const asking = new Set<unknown>(["tool_calls", "stop", "function_call", "tool_use"]);
  if (finishes.length === 0) return "there is no finish reason";
  if (!finishes.every(({ choice }) => asking.has(choice["finish_reason"])))
    return "a finish reason forbids it";
  const finishedAt = finishes[0]?.at ?? -1;
  const pieces = choices.flatMap(({ at, choice }) =>
    [...listAt(choice["delta"], "tool_calls"), ...legacy(choice)].map((piece) => ({ at, piece })),
  );
  if (pieces.some(({ at }) => at > finishedAt)) return "a piece of a call follows the finish";
  const whole = choices.flatMap(({ choice }) => listAt(choice["message"], "tool_calls"));
  const streamed = pieces.map(({ piece }) => piece);
  const lost = calls.find((call) => call.argumentsKind === "json" && !saysSo(call, { whole, streamed }));
  return lost === undefined ? null : `the pieces of call ${lost.callId} say something else`;
}

function legacy(choice: Record<string, unknown>): readonly Record<string, unknown>[] {
  return ["delta", "message"].flatMap((member) => {
    const call = objectAt(choice, member, "function_call");
    return Object.keys(call).length === 0 ? [] : [{ function: call }];
  });
}

type Piece = Record<string, unknown>;

/** In a message one element is a call. In deltas the pieces of one index are, where indexes tell calls apart. */
function saysSo(
  call: ReplayItem,
  sent: { readonly whole: readonly Piece[]; readonly streamed: readonly Piece[] },
): boolean {
  const named = (piece: Piece): boolean => objectAt(piece, "function")["name"] === call.name;
  if (sent.whole.some((piece) => named(piece) && isText(call, [piece]))) return true;
  if (sent.streamed.length === 0) return false;
  const indexes = new Map<unknown, Piece[]>();
  for (const piece of sent.streamed) {
    const index = piece["index"] ?? null;
    indexes.set(index, [...(indexes.get(index) ?? []), piece]);
  }
  const groups = [...indexes.values()];
  if (indexes.has(null) && indexes.size > 1) return true;
  if (groups.some((group) => idsOf(group).size > 1)) return true;
  return groups.some((group) => isText(call, group));
}

function idsOf(pieces: readonly Piece[]): ReadonlySet<unknown> {
  return new Set(pieces.map((piece) => piece["id"] ?? "").filter((id) => id !== ""));
}

/** Arguments that came as values are the reader's to put together. */
function isText(call: ReplayItem, pieces: readonly Piece[]): boolean {
  const texts = pieces.map((piece) => objectAt(piece, "function")["arguments"] ?? "");
  if (!texts.every((text) => typeof text === "string")) return true;
  return isDeepStrictEqual(readText(texts.join("")), plain(call.arguments));
}
