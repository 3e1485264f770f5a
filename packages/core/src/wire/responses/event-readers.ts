import { isJsonArray, type JsonObject } from "../../json/index.ts";
import type { Usage, WireEvent } from "../events.ts";
import type { RawSignal } from "../outcome.ts";
import { count, object, objects, text } from "../fields.ts";
import { frameError, type Frame } from "../frame.ts";
import { readItem } from "./items.ts";
import { CLOSING_EVENTS, PROVISIONAL_CALL_IDS } from "./wire-types.ts";

/** Gives null for a frame that lacks what its type promises. */
type EventReader = (frame: Frame) => readonly WireEvent[] | null;

export const EVENT_READERS: ReadonlyMap<string, EventReader> = new Map<string, EventReader>([
  ["response.created", readStarted],
  ["response.queued", readStarted],
  ["response.in_progress", readStarted],
  ["response.output_item.added", readItemStarted],
  ["response.output_item.done", readItemFinished],
  ["response.function_call_arguments.delta", (frame) => readDelta(frame, "argument_delta")],
  ["response.function_call_arguments.done", (frame) => readArgumentsFinished(frame, "arguments")],
  ["response.custom_tool_call_input.delta", (frame) => readDelta(frame, "argument_delta")],
  ["response.custom_tool_call_input.done", (frame) => readArgumentsFinished(frame, "input")],
  ["response.output_text.delta", (frame) => readDelta(frame, "text_delta")],
  ["response.refusal.delta", (frame) => readDelta(frame, "text_delta")],
  ...[...CLOSING_EVENTS.keys()].map((type): [string, EventReader] => [type, readFinished]),
]);

/** Items are told apart by `output_index`: their ids change within one response on some gateways. */
function readSlot(data: JsonObject): string | null {
  return count(data["output_index"])?.toString() ?? null;
}

function readStarted({ wireType, data }: Frame): readonly WireEvent[] {
  const response = object(data["response"]) ?? {};
  return [
    ...snapshotErrors(wireType, response),
    { type: "response_started", wireType, responseId: text(response["id"]), model: text(response["model"]) },
  ];
}

function readItemStarted({ wireType, data }: Frame): readonly WireEvent[] | null {
  const slot = readSlot(data);
  const item = object(data["item"]);
  const facts = item === null ? null : readItem(item);
  if (slot === null || item === null || facts === null) return null;
  const { kind, name, argumentsKind } = facts;
  const callId = PROVISIONAL_CALL_IDS.has(text(item["type"]) ?? "") ? null : facts.callId;
  return [{ type: "item_started", wireType, slot, kind, callId, name, argumentsKind }];
}

function readItemFinished({ wireType, data }: Frame): readonly WireEvent[] | null {
  const slot = readSlot(data);
  const raw = object(data["item"]);
  return slot === null || raw === null ? null : readFinishedItem(wireType, slot, raw);
}

export function readFinishedItem(
  wireType: string,
  slot: string,
  raw: JsonObject,
): readonly WireEvent[] | null {
  const facts = readItem(raw);
  if (facts === null) return null;
  const answerable =
    facts.callId !== null || (facts.kind !== "tool_call" && facts.kind !== "approval_request");
  // Without an id nobody could say which call a result belongs to.
  const faults = answerable ? [] : [frameError(wireType, "call_id_missing", "IDENTITY_CONFLICT")];
  return [...faults, { type: "item_finished", wireType, slot, raw, ...facts }];
}

function readDelta(
  { wireType, data }: Frame,
  type: "argument_delta" | "text_delta",
): readonly WireEvent[] | null {
  const slot = readSlot(data);
  const delta = data["delta"];
  if (slot === null || typeof delta !== "string") return null;
  return [{ type, wireType, slot, text: delta }];
}

function readArgumentsFinished(
  { wireType, data }: Frame,
  field: "arguments" | "input",
): readonly WireEvent[] | null {
  const slot = readSlot(data);
  const value = data[field];
  if (slot === null || typeof value !== "string") return null;
  return [{ type: "argument_finished", wireType, slot, text: value, name: text(data["name"]) }];
}

function readFinished({ wireType, data }: Frame): readonly WireEvent[] | null {
  const response = object(data["response"]);
  return response === null
    ? null
    : readFinishedResponse(wireType, CLOSING_EVENTS.get(wireType) ?? wireType, response);
}

/** `named` is the status that the event's name, or the whole response, stands for. */
export function readFinishedResponse(
  wireType: string,
  named: string,
  response: JsonObject,
): readonly WireEvent[] | null {
  const output = response["output"] ?? [];
  const restated = objects(output);
  if (!isJsonArray(output) || restated.length < output.length) return null;
  const common = {
    type: "response_finished",
    wireType,
    restated: restated.length === 0 ? null : restated,
    usage: readUsage(object(response["usage"])),
    responseId: text(response["id"]),
  } as const;
  const finishes = readSignals(named, response).map((signal) => ({ ...common, signal }));
  return [...snapshotErrors(wireType, response), ...finishes];
}

/** The event's name and its snapshot are two statements: where they differ, both are given on. */
function readSignals(named: string, response: JsonObject): readonly RawSignal[] {
  const stated = text(response["status"]) ?? named;
  const reason = text(object(response["incomplete_details"])?.["reason"]);
  const statuses = new Set([named, stated, ...(reason === null ? [] : ["incomplete"])]);
  return [...statuses].map((status) => ({ status, reason: status === "incomplete" ? reason : null }));
}

function snapshotErrors(wireType: string, response: JsonObject): readonly WireEvent[] {
  const error = response["error"] ?? null;
  if (error === null) return [];
  const { code, message } = object(error) ?? { code: null, message: error };
  return [
    {
      type: "stream_error",
      wireType,
      code: text(code),
      message: text(message),
      errorClass: "PROVIDER_ERROR",
    },
  ];
}

function readUsage(usage: JsonObject | null): Usage | null {
  if (usage === null) return null;
  return { inputTokens: count(usage["input_tokens"]), outputTokens: count(usage["output_tokens"]) };
}
