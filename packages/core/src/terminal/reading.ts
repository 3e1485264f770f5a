import type { ErrorClass } from "../fault/index.ts";
import type { JsonObject } from "../json/index.ts";
import type { ArgumentsKind, ItemKind, Outcome, RawSignal, ResponseFlag, Usage } from "../wire/index.ts";
import type { TransportEnd } from "./transport-ends.ts";

/** One output item once its lifecycle is over; it never changes again. */
export interface TerminalItem {
  /** The place in the response, from 0, in the order in which items appeared. */
  readonly ordinal: number;
  readonly kind: ItemKind;
  readonly callId: string | null;
  readonly name: string | null;
  readonly argumentsKind: ArgumentsKind | null;
  /** A call's arguments as sent, never parsed here; a message's text. Empty for ARGUMENTS_TOO_LARGE. */
  readonly content: string;
  /** Size of the content that arrived, as UTF-8. */
  readonly bytes: number;
  readonly state: "ITEM_TERMINAL" | "QUARANTINED";
  /** Why the item is set aside; null for ITEM_TERMINAL. */
  readonly errorClass: ErrorClass | null;
}

/** The one conclusion about one response. */
export interface ResponseReading {
  readonly responseId: string | null;
  readonly raw: RawSignal | null;
  readonly outcome: Outcome;
  /** Set for every `indeterminate` outcome, and for `truncated` where only a lie check found it. */
  readonly errorClass: ErrorClass | null;
  readonly items: readonly TerminalItem[];
  /** Verbatim, for replay; empty unless the response ended normally. */
  readonly outputItems: readonly JsonObject[];
  readonly outputText: string;
  readonly usage: Usage | null;
  /** Which of the run's stop sequences ended the output, by its place in their list; absent where none is known to. */
  readonly stopSequence?: number;
  /** Sorted; absent where there is none. They decide nothing. */
  readonly flags?: readonly ResponseFlag[];
  readonly transport: {
    readonly end: TransportEnd;
    readonly bytes: number;
    readonly messages: number;
    readonly unknownEvents: number;
  };
}
