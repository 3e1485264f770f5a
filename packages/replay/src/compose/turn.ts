import { createHash } from "node:crypto";
import type { JsonObject } from "@airlock/core/json";

/** One output item of a composed turn. */
export type ComposedItem =
  | { readonly kind: "reasoning"; readonly summary: string }
  | { readonly kind: "call"; readonly name: string; readonly arguments: JsonObject }
  | { readonly kind: "message"; readonly text: string };

/** One model turn as plain data, the same for every wire family. */
export interface ComposedTurn {
  /** seeds the identifiers of the turn, so that the same turn gives the same bytes */
  readonly id: string;
  readonly items: readonly ComposedItem[];
  /** the stream ends right after this text of a call's arguments, as one does whose connection ends */
  readonly endAfter?: string;
  /** calls come without an id, where the family allows that: chat and gemini */
  readonly withoutCallIds?: boolean;
}

/** A piece of a stream that comes whole, and the text of a call's arguments that it brings. */
export interface Frame {
  readonly text: string;
  readonly arguments: string;
}

/** How one family writes a turn. */
export interface Composer {
  stream(turn: ComposedTurn): readonly Frame[];
  /** the whole response, as one body */
  body(turn: ComposedTurn): JsonObject;
}

export const CREATED_AT = 1_767_225_600;
export const MODEL = "demo-model";

/** Uneven on purpose: readers must not depend on where a delta ends. Counted in code points. */
const DELTA_SIZES = [1, 7, 3, 12, 2, 5, 17, 4];

export function deltas(text: string): readonly string[] {
  const letters = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0; at < letters.length;) {
    const size = DELTA_SIZES[pieces.length % DELTA_SIZES.length] ?? 1;
    pieces.push(letters.slice(at, at + size).join(""));
    at += size;
  }
  return pieces;
}

export function identifier(prefix: string, seed: string): string {
  return `${prefix}_${digest(`${prefix} ${seed}`, "hex").slice(0, 48)}`;
}

/** Stands for what only the provider can open. */
export function sealed(seed: string, blocks: number): string {
  const parts = Array.from({ length: blocks }, (_, index) => digest(`${seed} sealed ${index}`, "base64url"));
  return `gAAAAAB${parts.join("")}`;
}

/** Believable numbers: about four characters a token. */
export function tokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}

/** A frame without arguments, as one event of a stream that names its events. */
export function eventFrame(type: string, fields: object, args = ""): Frame {
  return { text: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`, arguments: args };
}

function digest(text: string, encoding: "hex" | "base64url"): string {
  return createHash("sha256").update(text).digest(encoding);
}
