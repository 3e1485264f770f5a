import type { ErrorClass } from "../fault/index.ts";
import type { JsonObject, JsonValue } from "../json/index.ts";
import type { ConversationEntry } from "./conversation.ts";
import type { ItemFacts, WireEvent } from "./events.ts";
import type { Family } from "./family.ts";
import { INDETERMINATE, type Outcome, type RawSignal } from "./outcome.ts";
import type { Sampling } from "./sampling.ts";
import type { Blocks } from "./sse-blocks.ts";
import type { SseMessage } from "./sse.ts";

export interface EncodeInput extends Sampling {
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
  /** Items that the provider ran or still runs by itself. */
  readonly providerExecuted: number;
  readonly refusal: boolean;
  /** The codes of every error in the stream, in order. Only `policy_stop` can stand beside one. */
  readonly errorCodes: readonly (string | null)[];
  /** What a gateway says that the provider behind it gave as its reason. */
  readonly nativeReason?: string | null;
}

/** An outcome as a family's table gives it; one that is no normal end may say why. */
export interface NormalizedOutcome extends Outcome {
  readonly because?: ErrorClass;
}

/** A row of a family's table for a signal that lets nothing of the response count. */
export function indeterminate(because: ErrorClass): () => NormalizedOutcome {
  return () => ({ ...INDETERMINATE, because });
}

/** What many messages at once have come to. */
export interface Skimmed {
  readonly messages: number;
  readonly events: readonly WireEvent[];
}

/** Reads one response; a new response needs a new decoder. */
export interface Decoder {
  decode(message: SseMessage): readonly WireEvent[];
  /** Reads the blocks that are next as far as each differs from an earlier message in its text alone; null: none does. */
  readonly skim?: (blocks: Blocks) => Skimmed | null;
  /** Called once, at the closing marker or at the end of the bytes: what the family knows only then. */
  end(): readonly WireEvent[];
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
  /**
   * Whether a stream has to be closed in so many words. `always`: the finishing signal is the marker. `by_route`:
   * a marker follows the signal, and the route says whether it may be missing. `none`: the signal and a clean end.
   */
  readonly closingMarker: "always" | "by_route" | "none";
  /** Request headers of this family besides the content type and the authorization. */
  readonly headers: Readonly<Record<string, string>>;
  path(model: string): string;
  /** The JSON text of the request body. Throws SPEC_INVALID for what `supports` denies. */
  encode(input: EncodeInput): string;
  createDecoder(): Decoder;
  /** Reads a whole output item; null where the item is malformed. */
  readItem(item: JsonObject): ItemFacts | null;
  /** Reads a whole response that did not come as a stream, in the same vocabulary; `text` is what was parsed. */
  readBuffered(body: JsonValue, text: string): readonly WireEvent[];
  normalize(signal: RawSignal, observed: Observed): NormalizedOutcome;
  /** Whether nothing of the response can follow this message. */
  closesStream(message: SseMessage): boolean;
}
