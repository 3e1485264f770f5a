import { fail, failSyntax, type Cursor } from "./cursor.ts";

/**
 * Reads a number under the cursor. Refused: one beyond every finite double; and as unsafe a magnitude beyond 2^53-1
 * in any notation, and a non-zero literal that underflows to zero, since another parser may read those differently.
 */
export function readNumber(cursor: Cursor): number | undefined {
  const start = cursor.at;
  if (cursor.text.charAt(cursor.at) === "-") cursor.at += 1;
  if (!readInteger(cursor)) return undefined;
  if (cursor.text.charAt(cursor.at) === ".") {
    cursor.at += 1;
    if (!readDigits(cursor)) return undefined;
  }
  const mantissaEnd = cursor.at;
  if (/[eE]/.test(cursor.text.charAt(cursor.at))) {
    cursor.at += 1;
    if (/[+-]/.test(cursor.text.charAt(cursor.at))) cursor.at += 1;
    if (!readDigits(cursor)) return undefined;
  }
  const value = Number(cursor.text.slice(start, cursor.at));
  if (!Number.isFinite(value)) return fail(cursor, "JSON_NUMBER_NOT_FINITE", start);
  const underflow = value === 0 && /[1-9]/.test(cursor.text.slice(start, mantissaEnd));
  const unsafe = underflow || Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return unsafe ? fail(cursor, "JSON_NUMBER_UNSAFE", start) : value;
}

function readInteger(cursor: Cursor): boolean {
  if (cursor.text.charAt(cursor.at) !== "0") return readDigits(cursor);
  cursor.at += 1;
  if (!isDigit(cursor.text.charAt(cursor.at))) return true;
  failSyntax(cursor);
  return false;
}

function readDigits(cursor: Cursor): boolean {
  const start = cursor.at;
  while (isDigit(cursor.text.charAt(cursor.at))) cursor.at += 1;
  if (cursor.at > start) return true;
  failSyntax(cursor);
  return false;
}

export function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}
