import type { JsonObject } from "../../json/index.ts";
import type { ItemFacts } from "../events.ts";
import { text } from "../fields.ts";

/** The one item that this protocol's output is made of; its calls stand in it and are items only when streamed. */
export function readItem(item: JsonObject): ItemFacts | null {
  if (item["role"] !== "assistant") return null;
  const content = text(item["content"]) ?? "";
  const refusal = text(item["refusal"]) !== null;
  return { kind: "message", callId: null, name: null, argumentsKind: null, content, status: null, refusal };
}
