import type { ArgumentsKind } from "../events.ts";

/** Fields of a delta or a message that have a meaning here. All others are kept for the follow-up as they came. */
export const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  "content",
  "function_call",
  // Some gateways repeat the choice's index inside the delta.
  "index",
  "refusal",
  "role",
  "tool_calls",
]);

export const CALL_FIELDS: ReadonlySet<string> = new Set(["custom", "function", "id", "index", "type"]);

/** Fields of a `function` or `custom` object that have a meaning here. */
export const BODY_FIELDS: ReadonlySet<string> = new Set(["arguments", "input", "name"]);

/** Message fields in which models show what they think, under every name in use. */
export const REASONING_FIELDS = [
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "reasoning_text",
  "thinking",
] as const;

/** Texts that arrive in pieces. Every other text of an extra field is whole each time: the last one stands. */
export const STREAMED_TEXTS: ReadonlySet<string> = new Set([
  "content",
  "reasoning",
  "reasoning_content",
  "reasoning_text",
  "summary",
  "text",
  "thinking",
]);

/** What the type of a call says of its arguments. A call of any other type has none that could be executed. */
export const CALL_TYPES: ReadonlyMap<string, ArgumentsKind> = new Map([
  ["custom", "text"],
  ["function", "json"],
]);

/** Where a call of each form keeps its arguments. */
export const ARGUMENT_FIELDS = { custom: "input", function: "arguments" } as const;

/** The two words of which some bridges send both: first that calls were made, then that all is over. */
export const FINISHES_WITH_CALLS: ReadonlySet<string> = new Set(["stop", "tool_calls"]);
