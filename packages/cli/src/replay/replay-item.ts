import type { ErrorClass } from "@airlock/core/fault";
import { parseStrictJson, type JsonValue } from "@airlock/core/json";
import type { TerminalItem } from "@airlock/core/terminal";
import type { ItemKind } from "@airlock/core/wire";
import type { ReplayItem } from "./replay-document.ts";

/** The depth that the validator's judge allows. */
const ARGUMENT_DEPTH = 64;

const KINDS = {
  approval_request: "provider_executed",
  message: "message",
  other: "other",
  provider_executed: "provider_executed",
  reasoning: "reasoning",
  tool_call: "tool_call",
} as const satisfies Record<ItemKind, ReplayItem["kind"]>;

/** Names that count as registered; null where every name does. */
export type Registered = ReadonlySet<string> | null;

/** A terminal item as the document shows it, with what the strict parser and the list of tools say of it. */
export function replayItem(item: TerminalItem, registered: Registered): ReplayItem {
  const { ordinal, callId, name, argumentsKind } = item;
  const read = readArguments(item);
  const refusal = read.errorClass ?? (isRegistered(item, registered) ? null : "TOOL_UNKNOWN");
  const errorClass = item.errorClass ?? refusal;
  return {
    ordinal,
    kind: KINDS[item.kind],
    callId,
    name,
    argumentsKind,
    arguments: read.value,
    state: errorClass === null ? "ITEM_TERMINAL" : "QUARANTINED",
    errorClass,
  };
}

interface ReadArguments {
  readonly value: JsonValue;
  readonly errorClass: ErrorClass | null;
}

const NOTHING: ReadArguments = { value: null, errorClass: null };

function readArguments(item: TerminalItem): ReadArguments {
  const { kind, argumentsKind, content } = item;
  if (kind !== "tool_call" && kind !== "approval_request") return NOTHING;
  // What a response as a whole keeps from running may still be whole itself; anything else is in doubt.
  if (item.errorClass !== null && item.errorClass !== "RESPONSE_NOT_EXECUTABLE") return NOTHING;
  if (argumentsKind === "text") return { value: content, errorClass: null };
  if (argumentsKind === null) return { value: null, errorClass: "SCHEMA_VIOLATION" };
  const parsed = parseStrictJson(content, {
    maxBytes: Number.MAX_SAFE_INTEGER,
    maxDepth: ARGUMENT_DEPTH,
    topLevel: "object",
  });
  if (parsed.ok) return { value: parsed.value, errorClass: null };
  // The judge takes no text at all for a call without arguments.
  if (parsed.errorClass === "JSON_EMPTY") return { value: {}, errorClass: null };
  return { value: null, errorClass: parsed.errorClass };
}

function isRegistered({ kind, name }: TerminalItem, registered: Registered): boolean {
  if (kind !== "tool_call") return true;
  return name !== null && (registered === null || registered.has(name));
}
