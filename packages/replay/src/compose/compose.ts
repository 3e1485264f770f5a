// A wire family and one model turn as plain data in, the bytes out that a provider of that family would send.

import type { JsonObject } from "@airlock/core/json";
import type { Family } from "@airlock/core/wire";
import { anthropicComposer } from "./anthropic.ts";
import { chatComposer } from "./chat.ts";
import { geminiComposer } from "./gemini.ts";
import { responsesComposer } from "./responses.ts";
import type { ComposedTurn, Composer, Frame } from "./turn.ts";

const COMPOSERS = {
  responses: responsesComposer,
  chat: chatComposer,
  anthropic: anthropicComposer,
  gemini: geminiComposer,
} as const satisfies Record<Family, Composer>;

/** The text of a turn's stream. Throws where `endAfter` is in no call's arguments. */
export function composeStream(family: Family, turn: ComposedTurn): string {
  const frames = COMPOSERS[family].stream(turn);
  return turn.endAfter === undefined
    ? frames.map(({ text }) => text).join("")
    : cutStream(frames, turn.endAfter);
}

/** A turn as one body, in answer to a request that wants no stream. */
export function composeBody(family: Family, turn: ComposedTurn): JsonObject {
  return COMPOSERS[family].body(turn);
}

/** What a frame ends with behind the last letter of a delta. */
const TAIL = '"}\n\n';

/** Frames may have torn the text apart: what counts are the letters of the arguments that they bring. */
function cutStream(frames: readonly Frame[], text: string): string {
  let seen = "";
  for (const [at, frame] of frames.entries()) {
    seen += frame.arguments;
    if (!seen.includes(text)) continue;
    const inside = frame.text.lastIndexOf(text);
    const end = inside >= 0 ? inside + text.length : frame.text.length - TAIL.length;
    const whole = frames.slice(0, at).map((earlier) => earlier.text);
    return [...whole, frame.text.slice(0, end)].join("");
  }
  throw new Error(`no arguments hold ${text}`);
}
