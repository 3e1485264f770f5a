// Takes the wire events of one response, gives its items and every contradiction between the events; refuses
// nothing, forgets nothing: what is wrong stays in `faults`, and no later event can clear it.
import { assertNever, type ErrorClass } from "../fault/index.ts";
import type { JsonObject } from "../json/index.ts";
import type {
  ArgumentsKind,
  ItemFacts,
  ItemFlag,
  ItemKind,
  RawSignal,
  Usage,
  WireEvent,
} from "../wire/index.ts";
import { findContradiction } from "./contradictions.ts";

export interface AccumulatedItem {
  readonly ordinal: number;
  readonly kind: ItemKind;
  readonly callId: string | null;
  readonly argumentsKind: ArgumentsKind | null;
  name: string | null;
  /** Argument fragments in order, joined only when the final text arrives: linear in the bytes. */
  readonly fragments: string[];
  argumentText: string | null;
  finished: (ItemFacts & { readonly raw: JsonObject | null; readonly flags?: readonly ItemFlag[] }) | null;
  /** The first contradiction about this item: identity, assembly or life cycle. */
  fault: ErrorClass | null;
  lastEvent: WireEvent["type"];
}

export interface Finish {
  readonly signal: RawSignal;
  readonly restated: readonly JsonObject[] | null;
  readonly output?: readonly JsonObject[];
  readonly stopSequence?: string | null;
  readonly nativeReason?: string;
  readonly message?: string;
}

export interface Accumulated {
  /** By slot, in the order of appearance. */
  readonly items: Map<string, AccumulatedItem>;
  /** Contradictions and errors in the order in which they were seen: the first one names the response's end. */
  readonly faults: ErrorClass[];
  readonly errorCodes: (string | null)[];
  readonly finishes: Finish[];
  /** The first error that the provider reported, in its own words. */
  providerError: { readonly code: string | null; readonly message: string | null } | null;
  /** Reports add up: a later one may repeat only a part of what an earlier one said. */
  usage: Usage | null;
  responseId: string | null;
  events: number;
  lastEvent: WireEvent["type"] | null;
}

export interface Accumulator {
  apply(event: WireEvent): void;
  readonly state: Accumulated;
}

export type ItemEvent = Extract<WireEvent, { readonly slot: string }>;

export function createAccumulator(limits: { readonly maxItems: number }): Accumulator {
  const state: Accumulated = {
    items: new Map(),
    faults: [],
    errorCodes: [],
    finishes: [],
    providerError: null,
    usage: null,
    responseId: null,
    events: 0,
    lastEvent: null,
  };

  function apply(event: WireEvent): void {
    state.events += 1;
    state.lastEvent = event.type;
    switch (event.type) {
      case "response_started":
        // Some gateways give every event another response id: the first one stands.
        state.responseId ??= event.responseId;
        return;
      case "response_finished":
        state.responseId ??= event.responseId;
        state.usage = mergeUsage(state.usage, event.usage);
        state.finishes.push(event);
        return;
      case "usage_reported":
        state.usage = mergeUsage(state.usage, event.usage);
        return;
      case "stream_error":
        state.faults.push(event.errorClass);
        state.errorCodes.push(event.code);
        if (event.errorClass === "PROVIDER_ERROR") state.providerError ??= event;
        return;
      case "item_started":
      case "argument_delta":
      case "argument_finished":
      case "text_delta":
      case "item_finished":
        if (state.finishes.length > 0) state.faults.push("EVENT_AFTER_FINISH");
        applyToItem(state, event, limits.maxItems);
        return;
      default:
        assertNever(event);
    }
  }

  return { apply, state };
}

function mergeUsage(earlier: Usage | null, later: Usage | null): Usage | null {
  if (earlier === null || later === null) return later ?? earlier;
  return {
    inputTokens: later.inputTokens ?? earlier.inputTokens,
    outputTokens: later.outputTokens ?? earlier.outputTokens,
  };
}

function applyToItem(state: Accumulated, event: ItemEvent, maxItems: number): void {
  const known = state.items.get(event.slot);
  if (known === undefined) {
    openItem(state, event, maxItems);
    return;
  }
  const fault = findContradiction(known, event);
  if (fault !== null) setFault(state, known, fault);
  enter(state, known, event);
}

/** A gateway may leave out the opening event, since the finishing one says everything by itself. */
function openItem(state: Accumulated, event: ItemEvent, maxItems: number): void {
  if (event.type !== "item_started" && event.type !== "item_finished") {
    state.faults.push("EVENT_ORDER");
    return;
  }
  if (state.items.size >= maxItems) {
    state.faults.push("TOO_MANY_ITEMS");
    return;
  }
  const { kind, callId, name, argumentsKind } = event;
  const item: AccumulatedItem = {
    ordinal: state.items.size,
    kind,
    callId,
    argumentsKind,
    name,
    fragments: [],
    argumentText: null,
    finished: null,
    fault: null,
    lastEvent: event.type,
  };
  state.items.set(event.slot, item);
  enter(state, item, event);
}

function enter(state: Accumulated, item: AccumulatedItem, event: ItemEvent): void {
  item.lastEvent = event.type;
  switch (event.type) {
    case "argument_delta":
      item.fragments.push(event.text);
      return;
    case "argument_finished":
      item.argumentText ??= event.text;
      item.name ??= event.name;
      return;
    case "item_finished":
      item.finished ??= event;
      faultReusedCallId(state, item);
      return;
    case "item_started":
    case "text_delta":
      return;
    default:
      assertNever(event);
  }
}

/** Two calls with one id could not be answered apart, so neither of them can be trusted. */
function faultReusedCallId(state: Accumulated, item: AccumulatedItem): void {
  const callId = item.finished?.callId ?? null;
  if (callId === null) return;
  for (const other of state.items.values()) {
    if (other === item || other.finished?.callId !== callId) continue;
    setFault(state, other, "IDENTITY_CONFLICT");
    setFault(state, item, "IDENTITY_CONFLICT");
  }
}

function setFault(state: Accumulated, item: AccumulatedItem, fault: ErrorClass): void {
  item.fault ??= fault;
  state.faults.push(fault);
}
