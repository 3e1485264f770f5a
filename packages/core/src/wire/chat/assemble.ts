// Takes the deltas of the one choice of a response, gives its items' events; refuses pieces of which it can't be
// said whose they are, and content after the finish. Nothing is an item before the finish reason: this protocol
// has no end of a single call.
import type { ErrorClass } from "../../fault/index.ts";
import { isJsonArray, type JsonObject, type JsonValue } from "../../json/index.ts";
import type { WireEvent } from "../events.ts";
import { object, objects, text } from "../fields.ts";
import { frameError } from "../frame.ts";
import { readFragment, readLegacyFragment, type CallFragment, type SourceText } from "./call-fragment.ts";
import { createCallSlots, type CallSlots } from "./call-slots.ts";
import { enterFragment } from "./enter-fragment.ts";
import { createExtras, isContent, type Extras } from "./extras.ts";
import { MESSAGE_FIELDS, REASONING_FIELDS } from "./wire-types.ts";

/** Everything of a response that has arrived. */
export interface Draft {
  readonly calls: CallSlots;
  readonly extras: Extras;
  readonly content: string[];
  readonly refusal: string[];
  hasReasoning: boolean;
}

export interface Piece {
  readonly wireType: string;
  readonly delta: JsonObject;
  /** By a path below the delta. */
  readonly source: SourceText;
}

export function createDraft(): Draft {
  return { calls: createCallSlots(), extras: createExtras(), content: [], refusal: [], hasReasoning: false };
}

/** Whether a delta carries anything that belongs to the output. */
export function hasContent(delta: JsonObject): boolean {
  return Object.entries(delta).some(([key, value]) => key !== "role" && isContent(value));
}

export function enterDelta(draft: Draft, piece: Piece): readonly WireEvent[] {
  const { delta, wireType } = piece;
  const content = readContent(delta["content"]);
  const refusal = readContent(delta["refusal"]);
  const calls = readCalls(piece);
  if (content === null || refusal === null || calls === null) {
    return [frameError(wireType, "malformed_frame", "STREAM_MALFORMED")];
  }
  draft.extras.add(delta, MESSAGE_FIELDS);
  return [
    ...enterReasoning(draft, piece),
    ...enterText(draft, piece, { content, refusal }),
    ...calls.flatMap((fragment) => enterCall(draft, fragment, wireType)),
  ];
}

/** Text, or parts of which some are text; null for what can be neither. */
function readContent(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  return isJsonArray(value)
    ? objects(value)
        .map((part) => partText(part))
        .join("")
    : null;
}

function partText(part: JsonObject): string {
  return part["type"] === "text" ? (text(part["text"]) ?? "") : "";
}

const NONE: readonly never[] = [];

function readCalls({ delta, source }: Piece): readonly CallFragment[] | null {
  const list = delta["tool_calls"] ?? NONE;
  const legacy = delta["function_call"] ?? null;
  if (list === NONE && legacy === null) return NONE;
  if (!isJsonArray(list) || objects(list).length < list.length) return null;
  const fragments = objects(list).map((raw, at) =>
    readFragment(raw, (path) => source(["tool_calls", at, ...path])),
  );
  const body = object(legacy ?? undefined);
  if (legacy !== null && body === null) return null;
  if (body !== null && Object.keys(body).length > 0) {
    fragments.push(readLegacyFragment(body, (path) => source(["function_call", ...path])));
  }
  return fragments.every((fragment) => fragment !== null) ? fragments : null;
}

function enterReasoning(draft: Draft, { delta, wireType }: Piece): readonly WireEvent[] {
  if (draft.hasReasoning || !REASONING_FIELDS.some((field) => isContent(delta[field]))) return [];
  draft.hasReasoning = true;
  return [itemStarted(wireType, "reasoning", "reasoning")];
}

function enterText(
  draft: Draft,
  { wireType }: Piece,
  { content, refusal }: { readonly content: string; readonly refusal: string },
): readonly WireEvent[] {
  if (content === "" && refusal === "") return [];
  const isFirst = draft.content.length === 0 && draft.refusal.length === 0;
  if (content !== "") draft.content.push(content);
  if (refusal !== "") draft.refusal.push(refusal);
  return [
    ...(isFirst ? [itemStarted(wireType, "message", "message")] : []),
    { type: "text_delta", wireType, slot: "message", text: content + refusal },
  ];
}

function enterCall(draft: Draft, fragment: CallFragment, wireType: string): readonly WireEvent[] {
  const before = draft.calls.all.length;
  const slot = draft.calls.find(fragment);
  if (slot === null) return [fault(wireType, "IDENTITY_CONFLICT")];
  const entered = enterFragment(slot, fragment);
  const { argumentsKind, id: callId } = slot;
  const events: WireEvent[] = [];
  if (draft.calls.all.length > before) {
    // The name may still come in pieces, so nothing is said of it before the end.
    const identity = { kind: "tool_call", callId, name: null, argumentsKind } as const;
    events.push({ type: "item_started", wireType, slot: slot.slot, ...identity });
  }
  if (entered.text !== "") {
    events.push({ type: "argument_delta", wireType, slot: slot.slot, text: entered.text });
  }
  if (entered.fault !== null) events.push(fault(wireType, entered.fault));
  return events;
}

function fault(wireType: string, errorClass: ErrorClass): WireEvent {
  return frameError(wireType, "call_fragment", errorClass);
}

function itemStarted(wireType: string, slot: string, kind: "message" | "reasoning"): WireEvent {
  return { type: "item_started", wireType, slot, kind, callId: null, name: null, argumentsKind: null };
}
