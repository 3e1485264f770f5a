import { RE2JS } from "re2js";
import type { JsonObject, JsonValue } from "../json/index.ts";
import { isJsonArray, isJsonObject } from "../json/index.ts";

const MAX_PATTERN = 1_000;

/** The texts of an argument: null where it holds more than texts, undefined where it is left out. */
export type ArgumentTexts = (name: string) => readonly string[] | null | undefined;

export type ArgumentTest = (texts: ArgumentTexts) => boolean;

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
  const tests = Object.entries(patterns).map(([name, pattern]) => ({ name, matches: wholeMatch(pattern) }));
  const fits = purpose === "permit" ? permits : restricts;
  return (texts) => tests.every(({ name, matches }) => fits(texts(name), matches));
}

type TextTest = (text: string) => boolean;

function permits(texts: ReturnType<ArgumentTexts>, matches: TextTest): boolean {
  return texts !== undefined && texts !== null && texts.length > 0 && texts.every(matches);
}

function restricts(texts: ReturnType<ArgumentTexts>, matches: TextTest): boolean {
  return texts !== undefined && (texts === null || texts.some(matches));
}

function wholeMatch(written: string): TextTest {
  const pattern = written.normalize("NFC");
  const expression = RE2JS.compile(pattern);
  const start = literalStart(pattern);
  return (text) => text.startsWith(start) && expression.matches(text);
}

/** What every match begins with, as far as it is plain to see: most texts are told apart by it alone. */
function literalStart(pattern: string): string {
  if (pattern.includes("|")) return "";
  const [start = ""] = /^[A-Za-z0-9_/ ,:;@=-]*/.exec(pattern) ?? [];
  return /^[*?+{]/.test(pattern.slice(start.length)) ? start.slice(0, -1) : start;
}

/** Reads each argument once, however many rules ask for it. */
export function argumentTexts(args: JsonObject): ArgumentTexts {
  const read = new Map<string, readonly string[] | null | undefined>();
  return (name) => {
    if (!read.has(name)) read.set(name, Object.hasOwn(args, name) ? textsOf(args[name]) : undefined);
    return read.get(name);
  };
}

/** Null where a value holds more than texts, numbers, truth values and lists of them. */
function textsOf(value: JsonValue | undefined): readonly string[] | null {
  if (typeof value === "string") return [value.normalize("NFC")];
  if (value === undefined) return null;
  if (isJsonArray(value)) {
    const texts = value.map(textsOf);
    return texts.includes(null) ? null : texts.flatMap((each) => each ?? []);
  }
  return isJsonObject(value) || value === null ? null : [String(value)];
}
