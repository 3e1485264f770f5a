import type { ErrorClass } from "../fault/index.ts";
import type { JsonObject } from "../json/index.ts";
import type { RawSignal } from "./outcome.ts";

/** What an item is to a run, whatever its family calls it. Only a `tool_call` can ever be executed. */
export type ItemKind =
  | "tool_call"
  | "message"
  | "reasoning"
  | "provider_executed"
  | "approval_request"
  | "other";

/** `json`: the call carries JSON text. `text`: the call carries free text, which counts as one JSON string. */
export type ArgumentsKind = "json" | "text";

export interface Usage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/**
 * What people should know of an item although it decides nothing. `id_synthesised`: a call came without an id and was
 * given one. `tool_markup_in_text`: a text holds what looks like a call.
 */
export const ITEM_FLAGS = ["id_synthesised", "tool_markup_in_text"] as const;
export type ItemFlag = (typeof ITEM_FLAGS)[number];

/** The same of a response: what its items have, and `empty`, a normal end of nothing. */
export const RESPONSE_FLAGS = ["empty", ...ITEM_FLAGS] as const;
export type ResponseFlag = (typeof RESPONSE_FLAGS)[number];

/** What a whole item says about itself; `content` is a call's arguments or a message's text. */
export interface ItemFacts {
  readonly kind: ItemKind;
  readonly callId: string | null;
  readonly name: string | null;
  readonly argumentsKind: ArgumentsKind | null;
  readonly content: string | null;
  readonly status: string | null;
  /** A message that is a refusal: by its family's rules, which may want it to hold no text. */
  readonly refusal: boolean;
  /** Of an approval request: the label of the server whose tool it is. */
  readonly server?: string;
}

export interface StreamError {
  readonly type: "stream_error";
  readonly code: string | null;
  readonly message: string | null;
  /** PROVIDER_ERROR where the provider reports it, another class where the frames themselves are wrong. */
  readonly errorClass: ErrorClass;
}

/** `slot` is the adapter's key of an item within one response: opaque, never an array position. */
type FamilyEvent =
  | { readonly type: "response_started"; readonly responseId: string | null; readonly model: string | null }
  | {
      readonly type: "item_started";
      readonly slot: string;
      readonly kind: ItemKind;
      readonly callId: string | null;
      readonly name: string | null;
      readonly argumentsKind: ArgumentsKind | null;
    }
  | { readonly type: "argument_delta"; readonly slot: string; readonly text: string }
  | {
      readonly type: "argument_finished";
      readonly slot: string;
      readonly text: string;
      readonly name: string | null;
    }
  | { readonly type: "text_delta"; readonly slot: string; readonly text: string }
  | ({
      readonly type: "item_finished";
      readonly slot: string;
      /** The item as the follow-up repeats it; null where the family repeats it as a part of something larger. */
      readonly raw: JsonObject | null;
      readonly flags?: readonly ItemFlag[];
    } & ItemFacts)
  | { readonly type: "usage_reported"; readonly usage: Usage }
  | {
      readonly type: "response_finished";
      readonly signal: RawSignal;
      /** The output as the closing event repeats it; null where it repeats nothing. */
      readonly restated: readonly JsonObject[] | null;
      /** What the follow-up repeats, where that is not the items' own `raw` one by one. */
      readonly output?: readonly JsonObject[];
      readonly usage: Usage | null;
      readonly responseId: string | null;
      /** The stop sequence that ended the output, null where it is not named; absent where the family says none. */
      readonly stopSequence?: string | null;
      /** The reason that the provider itself gave, where a gateway gives it on beside its own. */
      readonly nativeReason?: string;
      /** What the provider says of the end in words: content, for no log. */
      readonly message?: string;
    }
  | StreamError;

/** A piece of an item: nearly all events of a long stream. */
export type DeltaEvent = Extract<WireEvent, { readonly type: "argument_delta" | "text_delta" }>;

export function isDelta(event: WireEvent | undefined): event is DeltaEvent {
  return event?.type === "argument_delta" || event?.type === "text_delta";
}

/** Every type of event, for records that name one. */
export const WIRE_EVENT_TYPES = [
  "response_started",
  "item_started",
  "argument_delta",
  "argument_finished",
  "text_delta",
  "item_finished",
  "usage_reported",
  "response_finished",
  "stream_error",
] as const satisfies readonly FamilyEvent["type"][];

/** One step of a response in the vocabulary that all families share; `wireType` keeps the original type. */
export type WireEvent = FamilyEvent & { readonly wireType: string };
