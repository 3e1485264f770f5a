// Takes the frames of one message in order, gives wire events and, at the end, the one finishing signal: it is held
// back until then, since a block may be closed, and the usage corrected, after the stop reason.
import type { JsonObject, JsonValue } from "../../json/index.ts";
import type { WireEvent } from "../events.ts";
import { count, object, objects, text } from "../fields.ts";
import { frameError, type Frame } from "../frame.ts";
import { applyDelta, finishBlock, hasInput, openBlock, readFacts, type Block } from "./blocks.ts";
import { createPendingTools, type PendingTools } from "./pending-tools.ts";
import { deltaType, type DeltaType } from "./wire-types.ts";

interface State {
  /** By the index as it was sent: gateways begin at 1 and leave gaps. */
  readonly blocks: Map<string, Block>;
  /** Closed without ever having been opened: harmless as long as nothing else has that index. */
  readonly strayStops: Set<string>;
  readonly stopReasons: Set<string>;
  readonly stopSequences: Set<string>;
  readonly pending: PendingTools;
  messageId: string | null;
  /** What the provider says of a refusal in words. */
  message: string | null;
}

/** The text of a block's input as it was sent; null where it has none. */
type InputSource = () => string | null;

/** Null for a frame that lacks what its type promises. */
type FrameReader = (
  state: State,
  frame: Frame,
  inputSource: InputSource,
) => readonly WireEvent[] | "unknown" | null;

const DELTA = "content_block_delta";

const FRAME_READERS: ReadonlyMap<string, FrameReader> = new Map<string, FrameReader>([
  [DELTA, readDelta],
  ["content_block_start", readBlockStart],
  ["content_block_stop", readBlockStop],
  ["message_delta", readMessageDelta],
  ["message_start", readMessageStart],
  ["message_stop", () => []],
  ["ping", () => []],
]);

export interface MessageReader {
  read(frame: Frame, inputSource: InputSource): readonly WireEvent[] | "unknown";
  /** Enters a piece as `read` would if it came in a frame for this place. */
  enter(place: DeltaPlace, piece: string): readonly WireEvent[];
  end(): readonly WireEvent[];
}

export function createMessageReader(): MessageReader {
  const state: State = {
    blocks: new Map(),
    strayStops: new Set(),
    stopReasons: new Set(),
    stopSequences: new Set(),
    pending: createPendingTools(),
    messageId: null,
    message: null,
  };
  return {
    read(frame, inputSource) {
      const reader = FRAME_READERS.get(frame.wireType);
      return reader === undefined
        ? "unknown"
        : (reader(state, frame, inputSource) ?? malformed(frame.wireType));
    },
    enter: (place, piece) => enterDelta(state, place, piece) ?? malformed(place.wireType),
    end: () => finish(state),
  };
}

function malformed(wireType: string): readonly WireEvent[] {
  return [frameError(wireType, "malformed_frame", "STREAM_MALFORMED")];
}

function readMessageStart(state: State, { wireType, data }: Frame): readonly WireEvent[] | null {
  const message = object(data["message"]);
  if (message === null) return null;
  const responseId = text(message["id"]);
  const other = state.messageId !== null && responseId !== null && responseId !== state.messageId;
  state.messageId ??= responseId;
  return [
    // Some gateways repeat the event; under another id it begins another message.
    ...(other ? [frameError(wireType, "message_id_changed", "IDENTITY_CONFLICT")] : []),
    // What is there before any block was opened has no end of its own, so it can't be trusted.
    ...(objects(message["content"]).length > 0
      ? [frameError(wireType, "content_without_blocks", "EVENT_ORDER")]
      : []),
    { type: "response_started", wireType, responseId, model: text(message["model"]) },
    ...readUsage(wireType, message),
  ];
}

function readBlockStart(
  state: State,
  { wireType, data }: Frame,
  inputSource: InputSource,
): readonly WireEvent[] | null {
  const slot = readSlot(data);
  const start = object(data["content_block"]);
  if (slot === null || start === null) return null;
  const block = openBlock(start, hasInput(start) ? inputSource() : null);
  if (block === null) return null;
  const { kind, callId, name, argumentsKind } = readFacts(start, "");
  state.pending.see(start);
  // A second block of one index is a contradiction, which the accumulator sees.
  if (!state.blocks.has(slot)) state.blocks.set(slot, block);
  return [
    ...lateFault(state, wireType),
    ...(state.strayStops.has(slot) ? [frameError(wireType, "block_stopped_before", "EVENT_ORDER")] : []),
    { type: "item_started", wireType, slot, kind, callId, name, argumentsKind },
  ];
}

/** What a delta says besides its piece. */
export interface DeltaPlace {
  readonly wireType: string;
  readonly slot: string;
  readonly name: string;
  readonly type: DeltaType;
}

/** Null for a frame that is no delta, and for one that nobody can place. */
export function deltaPlace({ wireType, data }: Frame): DeltaPlace | null {
  const slot = readSlot(data);
  const name = text(object(data["delta"])?.["type"]) ?? "";
  const type = deltaType(name);
  if (wireType !== DELTA || slot === null || type === null) return null;
  return { wireType, slot, name, type };
}

function readDelta(state: State, frame: Frame): readonly WireEvent[] | "unknown" | null {
  const slot = readSlot(frame.data);
  const delta = object(frame.data["delta"]);
  if (slot === null || delta === null) return null;
  const place = deltaPlace(frame);
  if (place !== null) return enterDelta(state, place, delta[place.type.from]);
  if (openBlockAt(state, slot) === null) return deltaWithoutBlock(frame.wireType);
  // A piece of input that nobody can place must not end as a call without it.
  if (text(delta["type"]) === null || "partial_json" in delta) return null;
  const late = lateFault(state, frame.wireType);
  return late.length > 0 ? late : "unknown";
}

function enterDelta(
  state: State,
  { wireType, slot, name, type }: DeltaPlace,
  value: JsonValue | undefined,
): readonly WireEvent[] | null {
  const block = openBlockAt(state, slot);
  if (block === null) return deltaWithoutBlock(wireType);
  if (!applyDelta(block, type, value)) return null;
  const late = lateFault(state, wireType);
  const piece = text(value);
  const streams = type.how === "input" && block.type === "tool_use";
  if (piece === null || (name !== "text_delta" && !streams)) return late;
  const event = { type: streams ? "argument_delta" : "text_delta", wireType, slot, text: piece } as const;
  return late.length === 0 ? [event] : [...late, event];
}

function openBlockAt(state: State, slot: string): Block | null {
  const block = state.blocks.get(slot);
  return block === undefined || block.stopped ? null : block;
}

function deltaWithoutBlock(wireType: string): readonly WireEvent[] {
  return [frameError(wireType, "delta_without_open_block", "EVENT_ORDER")];
}

function readBlockStop(state: State, { wireType, data }: Frame): readonly WireEvent[] | null {
  const slot = readSlot(data);
  if (slot === null) return null;
  const block = state.blocks.get(slot);
  if (block === undefined) {
    state.strayStops.add(slot);
    return [];
  }
  if (block.stopped) return [frameError(wireType, "block_stopped_before", "EVENT_ORDER")];
  block.stopped = true;
  const { raw, facts } = finishBlock(block);
  // Without an id nobody could say which call a result belongs to.
  const answerable = facts.kind !== "tool_call" || facts.callId !== null;
  const faults = answerable ? [] : [frameError(wireType, "call_id_missing", "IDENTITY_CONFLICT")];
  return [...faults, { type: "item_finished", wireType, slot, raw, ...facts }];
}

function readMessageDelta(state: State, { wireType, data }: Frame): readonly WireEvent[] | null {
  const delta = object(data["delta"]);
  // Some gateways report the usage alone.
  if (delta === null && object(data["usage"]) === null) return null;
  const stopReason = text(delta?.["stop_reason"]);
  if (stopReason !== null) state.stopReasons.add(stopReason);
  const stopSequence = text(delta?.["stop_sequence"]);
  if (stopSequence !== null) state.stopSequences.add(stopSequence);
  const details = object(delta?.["stop_details"]);
  state.message ??= text(details?.["explanation"]) ?? text(details?.["category"]);
  return readUsage(wireType, data);
}

/** Several deltas may give a reason; where they give different ones, all are given on and none counts. */
function finish(state: State): readonly WireEvent[] {
  const wireType = "message_delta";
  const absent =
    state.stopReasons.has("tool_use") &&
    !state.pending.any() &&
    ![...state.blocks.values()].some(({ type }) => type === "tool_use");
  return [
    ...(absent ? [frameError(wireType, "calls_absent", "CALLS_ABSENT")] : []),
    ...[...state.stopReasons].map((status) => ({
      type: "response_finished" as const,
      wireType,
      signal: { status, reason: null },
      restated: null,
      usage: null,
      responseId: state.messageId,
      ...endingSequence(state, status),
      ...(state.message === null ? {} : { message: state.message }),
    })),
  ];
}

/** Two different sequences can't both have ended the output, so neither is named. */
function endingSequence(state: State, stopReason: string): { readonly stopSequence?: string | null } {
  const [first = null, ...others] = state.stopSequences;
  if (first === null && stopReason !== "stop_sequence") return {};
  return { stopSequence: others.length === 0 ? first : null };
}

const NO_EVENTS: readonly WireEvent[] = [];

/** Only what was open before the stop reason may still be closed after it. */
function lateFault(state: State, wireType: string): readonly WireEvent[] {
  if (state.stopReasons.size === 0) return NO_EVENTS;
  return [frameError(wireType, "content_after_stop", "EVENT_AFTER_FINISH")];
}

function readSlot(data: JsonObject): string | null {
  return count(data["index"])?.toString() ?? null;
}

/** Cumulative, and partial: a later report counts for the fields that it has. */
function readUsage(wireType: string, holder: JsonObject): readonly WireEvent[] {
  const usage = object(holder["usage"]);
  if (usage === null) return [];
  const [inputTokens, outputTokens] = [count(usage["input_tokens"]), count(usage["output_tokens"])];
  return [{ type: "usage_reported", wireType, usage: { inputTokens, outputTokens } }];
}
