import { RE2JS } from "re2js";
import type { JsonObject, JsonValue } from "../json/index.ts";
import { isJsonArray, isJsonObject } from "../json/index.ts";

const MAX_PATTERN = 1_000;

export type ArgumentTest = (args: JsonObject) => boolean;

/** Why a text is no pattern; `null` if it is one. */
export function patternProblem(pattern: string): string | null {
  if (pattern.length > MAX_PATTERN) return `a pattern has at most ${MAX_PATTERN} characters`;
  try {
    RE2JS.compile(pattern);
    return null;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `a pattern is a regular expression in RE2's syntax, without look-around and back-references: ${why}`;
  }
}

/**
 * Each pattern has to match the whole of its argument. A list's entries are tested one by one. To permit, all must
 * match, and there must be one; to stop a call, one is enough, and so is a value that is no text.
 */
export function argumentTest(
  patterns: Readonly<Record<string, string>>,
  purpose: "permit" | "restrict",
): ArgumentTest {
  const tests = Object.entries(patterns).map(([name, pattern]) => ({
    name,
    expression: RE2JS.compile(pattern.normalize("NFC")),
  }));
  return (args) =>
    tests.every(({ name, expression }) => {
      const value = Object.hasOwn(args, name) ? args[name] : undefined;
      if (value === undefined) return false;
      const texts = textsOf(value);
      const matches = (text: string): boolean => expression.matches(text.normalize("NFC"));
      if (purpose === "permit") return texts !== null && texts.length > 0 && texts.every(matches);
      return texts === null || texts.some(matches);
    });
}

/** Null where a value holds more than texts, numbers, truth values and lists of them. */
function textsOf(value: JsonValue): readonly string[] | null {
  if (typeof value === "string") return [value];
  if (isJsonArray(value)) {
    const texts = value.map(textsOf);
    return texts.includes(null) ? null : texts.flatMap((each) => each ?? []);
  }
  return isJsonObject(value) || value === null ? null : [String(value)];
}
