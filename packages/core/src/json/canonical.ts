import { isJsonArray, isJsonObject, type JsonValue } from "./value.ts";

/**
 * The canonical text of RFC 8785: no blanks, keys by UTF-16 units, numbers as ECMAScript prints them.
 * Throws a TypeError on what JSON can't hold (a non-finite number, `undefined`, half a surrogate pair).
 */
export function canonicalJson(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return canonicalScalar(value);
  const members = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([key, member]) => `${canonicalScalar(key)}:${canonicalJson(member)}`).join(",")}}`;
}

function canonicalScalar(value: null | boolean | number | string): string {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new TypeError("a number that is not finite");
  // With the u flag this class matches only halves that have no partner.
  if (typeof value === "string" && /\p{Surrogate}/u.test(value)) throw new TypeError("half a surrogate pair");
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`a value that JSON can't hold: ${typeof value}`);
  return text;
}
