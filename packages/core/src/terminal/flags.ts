import { isNormalEnd, type ItemFlag, type Outcome, type ResponseFlag } from "../wire/index.ts";
import type { AccumulatedItem } from "./accumulate.ts";
import type { ResponseReading, TerminalItem } from "./reading.ts";

/** How the templates of open models write a call; a server that doesn't know a template lets it through as text. */
const TOOL_MARKUP =
  /<\/?tool_calls?>|<function[=_]|<invoke name=|\[TOOL_CALLS\]|<\|(?:channel|python_tag|tool_call)|<｜(?:DSML|tool)/;

/** Sorted by name. Text is never read as a call: nobody can tell an example from an intention. */
export function itemFlags({ kind, finished }: AccumulatedItem, content: string): readonly ItemFlag[] {
  const own = finished?.flags ?? [];
  return kind === "message" && TOOL_MARKUP.test(content) ? [...own, "tool_markup_in_text"] : own;
}

/** Sorted by name: what an item has, its response has too. */
export function responseFlags(
  items: readonly TerminalItem[],
  outcome: Outcome,
  outputText: string,
): Pick<ResponseReading, "flags"> {
  const flags = new Set<ResponseFlag>(items.flatMap((item) => item.flags ?? []));
  if (isNormalEnd(outcome) && isEmpty(items, outputText)) flags.add("empty");
  return flags.size === 0 ? {} : { flags: [...flags].toSorted() };
}

/** Bridges that swallow an error leave a normal end and nothing before it. */
function isEmpty(items: readonly TerminalItem[], outputText: string): boolean {
  return outputText === "" && items.every(({ kind }) => kind === "message" || kind === "reasoning");
}
