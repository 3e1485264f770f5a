import { assertNever } from "../../fault/index.ts";
import { isJsonObject, type JsonObject } from "../../json/index.ts";
import type { ItemFacts, ItemKind } from "../events.ts";
import { text, objects } from "../fields.ts";
import { itemType } from "./wire-types.ts";

/** Reads a whole output item; null where a field that decides about execution has an impossible type. */
export function readItem(item: JsonObject): ItemFacts | null {
  const typeName = text(item["type"]);
  if (typeName === null) return null;
  const { argumentsKind, carrier } = itemType(typeName);
  const kind = actingParty(item, typeName);
  const facts = { kind, argumentsKind: null, callId: null, name: null, status: text(item["status"]) };
  switch (kind) {
    case "tool_call":
    case "approval_request": {
      const content = readCarrier(item, carrier);
      if (content === null) return null;
      const name = carrier.from === "field" ? text(item["name"]) : typeName;
      const callId = readCallId(item, typeName);
      return { ...facts, argumentsKind, callId, name, content, refusal: false, ...readServer(item, kind) };
    }
    case "message":
      return { ...facts, ...readMessage(item) };
    case "reasoning":
    case "provider_executed":
    case "other":
      return { ...facts, content: null, refusal: false };
    default:
      return assertNever(kind);
  }
}

/** Two call types are executed by the client or by the provider, as the item itself says. */
function actingParty(item: JsonObject, typeName: string): ItemKind {
  if (typeName === "tool_search_call") {
    return item["execution"] === "client" ? "tool_call" : "provider_executed";
  }
  if (typeName === "shell_call") {
    const environment = item["environment"] ?? null;
    const local = environment === null || (isJsonObject(environment) && environment["type"] === "local");
    return local ? "tool_call" : "provider_executed";
  }
  return itemType(typeName).kind;
}

function readCarrier(item: JsonObject, carrier: ReturnType<typeof itemType>["carrier"]): string | null {
  switch (carrier.from) {
    case "field": {
      // Some gateways send null, or nothing, for a call without arguments.
      const value = item[carrier.field] ?? "";
      return typeof value === "string" ? value : null;
    }
    case "payload":
      return payloadText(item, carrier.fields);
    case "none":
      return "";
  }
}

/** One field is the arguments; of several, those that are there make an object. */
function payloadText(item: JsonObject, fields: readonly string[]): string {
  const [only] = fields;
  if (fields.length === 1 && only !== undefined) return JSON.stringify(item[only] ?? {});
  const present = fields.filter((field) => item[field] !== undefined);
  return JSON.stringify(Object.fromEntries(present.map((field) => [field, item[field]])));
}

/** Approvals are answered by the item's id, and so are the oldest shell calls. */
function readCallId(item: JsonObject, typeName: string): string | null {
  if (typeName === "mcp_approval_request") return text(item["id"]);
  if (typeName === "local_shell_call") return text(item["call_id"]) ?? text(item["id"]);
  return text(item["call_id"]);
}

function readServer(item: JsonObject, kind: ItemKind): Pick<ItemFacts, "server"> {
  const server = kind === "approval_request" ? text(item["server_label"]) : null;
  return server === null ? {} : { server };
}

function readMessage(item: JsonObject): { readonly content: string; readonly refusal: boolean } {
  const parts = objects(item["content"]);
  const content = parts.map((part) => partText(part)).join("");
  return { content, refusal: content === "" && parts.some((part) => part["type"] === "refusal") };
}

function partText(part: JsonObject): string {
  return part["type"] === "output_text" && typeof part["text"] === "string" ? part["text"] : "";
}
