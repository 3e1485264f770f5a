// Takes text and limits, gives the one JSON value that is the whole text, and refuses everything that two
// parsers could read in two ways: duplicate keys, unsafe numbers, lone surrogates, trailing or missing bytes.
import type { ErrorClass } from "../fault/index.ts";
import { skipBlanks, type Cursor } from "./cursor.ts";
import { readValue } from "./read-value.ts";
import { isJsonObject, type JsonValue } from "./value.ts";

export interface StrictJsonLimits {
  /** In UTF-8 bytes of the whole text. */
  readonly maxBytes: number;
  /** Nested arrays and objects; never more than 512, which bounds the call stack. */
  readonly maxDepth: number;
  readonly topLevel: "object" | "any";
}

export type StrictJsonResult =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly errorClass: ErrorClass; readonly offset: number };

const STACK_DEPTH = 512;

/**
 * The one place that may parse a model's text. `offset` counts UTF-16 units to the start of what was refused:
 * the key, number, escape, bracket or stray character; the end of a cut text; 0 for size and emptiness.
 */
export function parseStrictJson(text: string, limits: StrictJsonLimits): StrictJsonResult {
  if (Buffer.byteLength(text, "utf8") > limits.maxBytes) return refused("JSON_TOO_LARGE", 0);
  const maxDepth = Math.min(limits.maxDepth, STACK_DEPTH);
  const cursor: Cursor = { text, maxDepth, at: 0, failure: null };
  skipBlanks(cursor);
  if (cursor.at === text.length) return refused("JSON_EMPTY", 0);
  const start = cursor.at;
  const value = readValue(cursor, 0);
  if (cursor.failure !== null) return { ok: false, ...cursor.failure };
  if (value === undefined) return refused("JSON_SYNTAX", cursor.at);
  skipBlanks(cursor);
  if (cursor.at < text.length) return refused("JSON_TRAILING_DATA", cursor.at);
  if (limits.topLevel === "object" && !isJsonObject(value)) return refused("JSON_TOP_LEVEL", start);
  return { ok: true, value };
}

function refused(errorClass: ErrorClass, offset: number): StrictJsonResult {
  return { ok: false, errorClass, offset };
}
