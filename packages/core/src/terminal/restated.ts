import type { ErrorClass } from "../fault/index.ts";
import type { JsonObject } from "../json/index.ts";
import type { ItemFacts } from "../wire/index.ts";

/**
 * Compares what the closing event repeats with what was streamed: calls and approval requests one by one, and
 * the text where it repeats any. Item ids are left out (they change on some gateways), and so is the rest.
 */
export function compareRestated(
  finished: readonly ItemFacts[],
  restated: readonly JsonObject[],
  readItem: (item: JsonObject) => ItemFacts | null,
): ErrorClass | null {
  const told = restated.map((item) => readItem(item));
  if (told.includes(null)) return "RESTATED_MISMATCH";
  const items = told.filter((facts) => facts !== null);
  const announced = items.filter((facts) => isDemand(facts));
  const arrived = finished.filter((facts) => isDemand(facts));
  if (announced.length > 0 && arrived.length === 0) return "CALLS_ABSENT";
  const same =
    announced.length === arrived.length &&
    announced.every((facts, index) => isSameDemand(facts, arrived[index]));
  const text = messageText(items);
  return same && (text === "" || text === messageText(finished)) ? null : "RESTATED_MISMATCH";
}

/** What the client would have to act on. */
function isDemand(facts: ItemFacts): boolean {
  return facts.kind === "tool_call" || facts.kind === "approval_request";
}

function isSameDemand(facts: ItemFacts, other: ItemFacts | undefined): boolean {
  return (
    facts.kind === other?.kind &&
    facts.argumentsKind === other.argumentsKind &&
    facts.callId === other.callId &&
    facts.name === other.name &&
    facts.server === other.server &&
    facts.content === other.content
  );
}

export function messageText(items: readonly ItemFacts[]): string {
  return items.map((facts) => (facts.kind === "message" ? (facts.content ?? "") : "")).join("");
}
