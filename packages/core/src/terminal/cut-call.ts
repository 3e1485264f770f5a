import { parseStrictJson } from "../json/index.ts";
import type { AccumulatedItem } from "./accumulate.ts";
import { itemContent } from "./settle-items.ts";

/** Arguments that stop in the middle of a value belie every signal that says the calls are complete. */
export function isCutCall(item: AccumulatedItem): boolean {
  if (item.kind !== "tool_call" || item.argumentsKind !== "json") return false;
  const parsed = parseStrictJson(itemContent(item), { maxBytes: Infinity, maxDepth: 64, topLevel: "any" });
  return !parsed.ok && parsed.errorClass === "JSON_TRUNCATED";
}
