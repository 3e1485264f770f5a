import { isNormalEnd, type Outcome, type ResponseFlag } from "../wire/index.ts";
import type { Accumulated } from "./accumulate.ts";

/** How the templates of open models write a call; a server that doesn't know a template lets it through as text. */
const TOOL_MARKUP =
  /<\/?tool_calls?>|<function[=_]|<invoke name=|\[TOOL_CALLS\]|<\|(?:channel|python_tag|tool_call)|<｜(?:DSML|tool)/;

/** Sorted by name. Text is never read as a call: nobody can tell an example from an intention. */
export function findFlags(state: Accumulated, outcome: Outcome, outputText: string): readonly ResponseFlag[] {
  const flags = new Set(state.flags);
  if (TOOL_MARKUP.test(outputText)) flags.add("tool_markup_in_text");
  if (isNormalEnd(outcome) && isEmpty(state, outputText)) flags.add("empty");
  return [...flags].toSorted();
}

/** Bridges that swallow an error leave a normal end and nothing before it. */
function isEmpty(state: Accumulated, outputText: string): boolean {
  const kinds = [...state.items.values()].map(({ kind }) => kind);
  return outputText === "" && kinds.every((kind) => kind === "message" || kind === "reasoning");
}
