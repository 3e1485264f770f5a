import type { ErrorClass } from "../fault/index.ts";
import { parseStrictJson } from "../json/index.ts";

/** What makes a text no JSON at all, and not only JSON that is too doubtful to be executed. */
const NO_JSON: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  "JSON_BAD_ESCAPE",
  "JSON_CONTROL_CHARACTER",
  "JSON_EMPTY",
  "JSON_SYNTAX",
  "JSON_TRAILING_DATA",
  "JSON_TRUNCATED",
]);

/**
 * The arguments of an earlier call as a request can carry them: as they were sent, or `{}` in place of what is no
 * JSON, with which many providers refuse the whole conversation. The call's result says what was wrong.
 */
export function carriedArguments(content: string): string {
  const parsed = parseStrictJson(content, { maxBytes: Infinity, maxDepth: 512, topLevel: "any" });
  return !parsed.ok && NO_JSON.has(parsed.errorClass) ? "{}" : content;
}
