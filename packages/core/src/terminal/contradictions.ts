import { assertNever, type ErrorClass } from "../fault/index.ts";
import type { ItemFacts } from "../wire/index.ts";
import type { AccumulatedItem, ItemEvent } from "./accumulate.ts";

/** What an event says against what is already known of its item; null where they agree. */
export function findContradiction(item: AccumulatedItem, event: ItemEvent): ErrorClass | null {
  if (item.finished !== null) return "EVENT_ORDER";
  switch (event.type) {
    case "item_started":
      return event.callId === item.callId && event.kind === item.kind ? "EVENT_ORDER" : "IDENTITY_CONFLICT";
    case "argument_delta":
      return item.kind === "tool_call" && item.argumentText === null ? null : "EVENT_ORDER";
    case "argument_finished":
      if (item.kind !== "tool_call" || item.argumentText !== null) return "EVENT_ORDER";
      if (differs(item.name, event.name)) return "IDENTITY_CONFLICT";
      return matchesFragments(item, event.text) ? null : "ARGUMENTS_MISMATCH";
    case "text_delta":
      return null;
    case "item_finished":
      return findContradictionAtEnd(item, event);
    default:
      return assertNever(event);
  }
}

function findContradictionAtEnd(item: AccumulatedItem, end: ItemFacts): ErrorClass | null {
  if (end.kind !== item.kind || end.argumentsKind !== item.argumentsKind) return "IDENTITY_CONFLICT";
  if (differs(item.callId, end.callId) || differs(item.name, end.name)) return "IDENTITY_CONFLICT";
  if (item.kind !== "tool_call") return null;
  // Nothing said at the end: what was streamed stands.
  if (end.content === null) return null;
  const { content } = end;
  const agrees = item.argumentText === null ? matchesFragments(item, content) : item.argumentText === content;
  return agrees ? null : "ARGUMENTS_MISMATCH";
}

/** No fragments at all is a legitimate way to stream; otherwise the final text is exactly their sum. */
function matchesFragments(item: AccumulatedItem, final: string): boolean {
  let at = 0;
  // Compared one by one: joined, a long text would be there twice.
  for (const fragment of item.fragments) {
    if (final.slice(at, at + fragment.length) !== fragment) return false;
    at += fragment.length;
  }
  return at === 0 || at === final.length;
}

/** An identity that was not sent can't contradict anything. */
function differs(earlier: string | null, later: string | null): boolean {
  return earlier !== null && later !== null && earlier !== later;
}

/** The kinds that count as output must be declared complete; progress words on other items mean nothing. */
export function isUnfinished(item: AccumulatedItem): boolean {
  if (item.finished === null) return true;
  const { kind, status } = item.finished;
  const counts = kind === "tool_call" || kind === "message" || kind === "approval_request";
  return counts && status !== null && status !== "completed";
}
