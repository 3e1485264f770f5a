import type { JsonObject } from "../json/index.ts";
import type { ConversationEntry } from "./conversation.ts";
import type { ItemFacts, WireEvent } from "./events.ts";
import type { Family } from "./family.ts";
import type { Outcome, RawSignal } from "./outcome.ts";
import type { SseMessage } from "./sse.ts";

export interface EncodeInput {
  readonly model: string;
  readonly entries: readonly ConversationEntry[];
  readonly tools: readonly EncodeTool[];
  readonly maxOutputTokens: number | null;
  readonly stopSequences: readonly string[];
  readonly parallelToolCalls: boolean;
  readonly stream: true;
}

export interface EncodeTool {
  readonly name: string;
  readonly description: string;
  /** JSON text; it stands in the body byte for byte. */
  readonly schemaText: string;
}

/** What the finished items of a response show, for the table that judges its raw signal. */
export interface Observed {
  readonly calls: number;
  readonly approvals: number;
  readonly refusal: boolean;
  /** The codes of every error in the stream, in order. Only `policy_stop` can stand beside one. */
  readonly errorCodes: readonly (string | null)[];
}

/** Reads one response; a new response needs a new decoder. */
export interface Decoder {
  decode(message: SseMessage): readonly WireEvent[];
  /** Messages that were ignored because their type is not known. */
  readonly unknownEvents: number;
}

/** Everything that differs between wire families. */
export interface Adapter {
  readonly family: Family;
  /** Changes whenever the same bytes could be read differently; contract reports are bound to it. */
  readonly version: string;
  /** What a run must not ask of this family: admission refuses it, since the request can't carry it. */
  readonly supports: { readonly stopSequences: boolean };
  path(model: string): string;
  /** The JSON text of the request body. Throws SPEC_INVALID for what `supports` denies. */
  encode(input: EncodeInput): string;
  createDecoder(): Decoder;
  /** Reads a whole output item; null where the item is malformed. */
  readItem(item: JsonObject): ItemFacts | null;
  normalize(signal: RawSignal, observed: Observed): Outcome;
  /** Whether nothing of the response can follow this message. */
  closesStream(message: SseMessage): boolean;
}
