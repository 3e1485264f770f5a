import { fail, failSyntax, type Cursor } from "./cursor.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const ESCAPE_UNITS = 6;

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** Reads a string whose opening quote is under the cursor. Runs are sliced and joined once, so time is linear. */
export function readString(cursor: Cursor): string | undefined {
  const whole = readWhole(cursor);
  if (whole !== null) return whole;
  cursor.at += 1;
  const parts: string[] = [];
  let runStart = cursor.at;
  while (cursor.at < cursor.text.length) {
    passPlain(cursor);
    const unit = cursor.text.charCodeAt(cursor.at);
    if (Number.isNaN(unit)) break;
    if (unit === QUOTE) {
      parts.push(cursor.text.slice(runStart, cursor.at));
      cursor.at += 1;
      return parts.join("");
    }
    if (unit === BACKSLASH) {
      parts.push(cursor.text.slice(runStart, cursor.at));
      const escaped = readEscape(cursor);
      if (escaped === undefined) return undefined;
      parts.push(escaped);
      runStart = cursor.at;
    } else if (!passRaw(cursor, unit)) return undefined;
  }
  return failSyntax(cursor);
}

/**
 * A long string in a few native steps; null leaves it to the loop, which finds and names what is wrong. The platform
 * refuses the same strings but for halves of pairs, raw or escaped, so none of either may be there.
 */
function readWhole(cursor: Cursor): string | null {
  const { text, at } = cursor;
  const end = closingQuote(text, at + 1);
  if (end - at < LONG) return null;
  const source = text.slice(at, end + 1);
  if (source.includes("\\u") || SURROGATE.test(source)) return null;
  try {
    const value: unknown = JSON.parse(source);
    if (typeof value !== "string") return null;
    cursor.at = end + 1;
    return value;
  } catch {
    // A control character, or an escape that is none.
    return null;
  }
}

/** Below this the steps cost more than the loop. */
const LONG = 256;
const SURROGATE = /[\ud800-\udfff]/;

/** The first quote that no odd run of backslashes escapes; -1 where there is none. */
export function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1) {
    let slashes = 0;
    while (at - slashes > from && text.charCodeAt(at - slashes - 1) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
    at = text.indexOf('"', at + 1);
  }
  return -1;
}

/** Neither quote nor backslash, no control character, no half of a pair: nearly all of a long string, in one step. */
// oxlint-disable-next-line no-control-regex -- control characters are what it stops at
const PLAIN = /[^"\\\u0000-\u001f\ud800-\udfff]+/y;

function passPlain(cursor: Cursor): void {
  PLAIN.lastIndex = cursor.at;
  if (PLAIN.test(cursor.text)) cursor.at = PLAIN.lastIndex;
}

function passRaw(cursor: Cursor, unit: number): boolean {
  if (unit < FIRST_PRINTABLE) {
    fail(cursor, "JSON_CONTROL_CHARACTER", cursor.at);
    return false;
  }
  if (isLow(unit)) {
    fail(cursor, "JSON_LONE_SURROGATE", cursor.at);
    return false;
  }
  if (!isHigh(unit)) {
    cursor.at += 1;
    return true;
  }
  // At the very end `charCodeAt` is NaN: the pair was cut, and so was the string.
  const next = cursor.text.charCodeAt(cursor.at + 1);
  if (!isLow(next)) {
    fail(cursor, Number.isNaN(next) ? "JSON_TRUNCATED" : "JSON_LONE_SURROGATE", cursor.at);
    return false;
  }
  cursor.at += 2;
  return true;
}

function readEscape(cursor: Cursor): string | undefined {
  const start = cursor.at;
  const letter = cursor.text.charAt(start + 1);
  if (letter === "u") return readUnicodeEscape(cursor);
  const short = SHORT_ESCAPES.get(letter);
  if (short !== undefined) {
    cursor.at += 2;
    return short;
  }
  return letter === ""
    ? fail(cursor, "JSON_TRUNCATED", cursor.text.length)
    : fail(cursor, "JSON_BAD_ESCAPE", start);
}

/** A high half must be followed at once by the escape of a low half: RFC 8259 section 7 allows no other pair. */
function readUnicodeEscape(cursor: Cursor): string | undefined {
  const start = cursor.at;
  const unit = readHexUnit(cursor);
  if (unit === undefined) return undefined;
  if (isLow(unit)) return fail(cursor, "JSON_LONE_SURROGATE", start);
  if (!isHigh(unit)) return String.fromCharCode(unit);
  const expected = cursor.text.slice(cursor.at, cursor.at + 2);
  if ("\\u".startsWith(expected) && cursor.at + expected.length === cursor.text.length) {
    return fail(cursor, "JSON_TRUNCATED", cursor.text.length);
  }
  if (expected !== "\\u") return fail(cursor, "JSON_LONE_SURROGATE", start);
  const low = readHexUnit(cursor);
  if (low === undefined) return undefined;
  if (!isLow(low)) return fail(cursor, "JSON_LONE_SURROGATE", start);
  return String.fromCharCode(unit, low);
}

function readHexUnit(cursor: Cursor): number | undefined {
  const start = cursor.at;
  const digits = cursor.text.slice(start + 2, start + ESCAPE_UNITS);
  if (!/^[0-9a-fA-F]*$/.test(digits)) return fail(cursor, "JSON_BAD_ESCAPE", start);
  if (digits.length < ESCAPE_UNITS - 2) return fail(cursor, "JSON_TRUNCATED", cursor.text.length);
  cursor.at = start + ESCAPE_UNITS;
  return Number.parseInt(digits, 16);
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
