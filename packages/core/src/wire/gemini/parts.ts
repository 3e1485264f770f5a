import type { JsonObject } from "../../json/index.ts";
import type { ItemFacts } from "../events.ts";
import { object, text } from "../fields.ts";
import { partKind } from "./wire-types.ts";

/** Reads a part that was not streamed; null where it is malformed. */
export function readItem(part: JsonObject): ItemFacts | null {
  const kind = partKind(part);
  if (kind === "ambiguous") return null;
  if (kind !== "tool_call") return partFacts(part, kind);
  const call = object(part["functionCall"]);
  if (call === null) return null;
  return callFacts(text(call["id"]), text(call["name"]), JSON.stringify(call["args"] ?? {}));
}

export function partFacts(part: JsonObject, kind: ItemFacts["kind"]): ItemFacts {
  const content = kind === "message" ? (text(part["text"]) ?? "") : null;
  return { kind, callId: null, name: null, argumentsKind: null, content, status: null, refusal: false };
}

export function callFacts(callId: string | null, name: string | null, content: string): ItemFacts {
  const identity = { kind: "tool_call", callId, name, argumentsKind: "json" } as const;
  return { ...identity, content, status: null, refusal: false };
}
