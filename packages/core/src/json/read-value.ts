import { fail, failSyntax, skipBlanks, type Cursor } from "./cursor.ts";
import { isDigit, readNumber } from "./read-number.ts";
import { readString } from "./read-string.ts";
import type { JsonObject, JsonValue } from "./value.ts";

const LITERALS: ReadonlyMap<string, { readonly word: string; readonly value: JsonValue }> = new Map([
  ["t", { word: "true", value: true }],
  ["f", { word: "false", value: false }],
  ["n", { word: "null", value: null }],
]);

/** Assigning it would set a prototype instead of a key in code that copies the object. */
const FORBIDDEN_KEY = "__proto__";

/** Reads one value; the cursor stands on its first character. `depth` counts the open brackets around it. */
export function readValue(cursor: Cursor, depth: number): JsonValue | undefined {
  const first = cursor.text.charAt(cursor.at);
  if (first === '"') return readString(cursor);
  if (first === "-" || isDigit(first)) return readNumber(cursor);
  const literal = LITERALS.get(first);
  if (literal !== undefined) return readLiteral(cursor, literal);
  if (first !== "{" && first !== "[") return failSyntax(cursor);
  if (depth >= cursor.maxDepth) return fail(cursor, "JSON_TOO_DEEP", cursor.at);
  return first === "{" ? readObject(cursor, depth + 1) : readArray(cursor, depth + 1);
}

function readLiteral(
  cursor: Cursor,
  literal: { readonly word: string; readonly value: JsonValue },
): JsonValue | undefined {
  for (const character of literal.word) {
    if (cursor.text.charAt(cursor.at) !== character) return failSyntax(cursor);
    cursor.at += 1;
  }
  return literal.value;
}

function readArray(cursor: Cursor, depth: number): JsonValue | undefined {
  const items: JsonValue[] = [];
  if (opensEmpty(cursor, "]")) return items;
  do {
    skipBlanks(cursor);
    const item = readValue(cursor, depth);
    if (item === undefined) return undefined;
    items.push(item);
  } while (passesComma(cursor));
  return closes(cursor, "]") ? items : failSyntax(cursor);
}

function readObject(cursor: Cursor, depth: number): JsonObject | undefined {
  const members: Record<string, JsonValue> = { __proto__: null };
  if (opensEmpty(cursor, "}")) return members;
  do {
    const key = readKey(cursor, members);
    if (key === undefined) return undefined;
    skipBlanks(cursor);
    const value = readValue(cursor, depth);
    if (value === undefined) return undefined;
    members[key] = value;
  } while (passesComma(cursor));
  return closes(cursor, "}") ? members : failSyntax(cursor);
}

function readKey(cursor: Cursor, members: JsonObject): string | undefined {
  skipBlanks(cursor);
  const start = cursor.at;
  if (cursor.text.charAt(start) !== '"') return failSyntax(cursor);
  const key = readString(cursor);
  if (key === undefined) return undefined;
  if (key === FORBIDDEN_KEY) return fail(cursor, "JSON_FORBIDDEN_KEY", start);
  if (Object.hasOwn(members, key)) return fail(cursor, "JSON_DUPLICATE_KEY", start);
  skipBlanks(cursor);
  return closes(cursor, ":") ? key : failSyntax(cursor);
}

function opensEmpty(cursor: Cursor, close: "]" | "}"): boolean {
  cursor.at += 1;
  skipBlanks(cursor);
  return closes(cursor, close);
}

function passesComma(cursor: Cursor): boolean {
  skipBlanks(cursor);
  return closes(cursor, ",");
}

function closes(cursor: Cursor, character: string): boolean {
  if (cursor.text.charAt(cursor.at) !== character) return false;
  cursor.at += 1;
  return true;
}
