import type { ErrorClass } from "../fault/index.ts";
import type { JsonObject } from "../json/index.ts";
import type {
  ArgumentsKind,
  ItemFlag,
  ItemKind,
  Outcome,
  RawSignal,
  ResponseFlag,
  Usage,
} from "../wire/index.ts";
import type { TransportEnd } from "./transport-ends.ts";

/** One output item once its lifecycle is over; it never changes again. */
export interface TerminalItem {
  /** The place in the response, from 0, in the order in which items appeared. */
  readonly ordinal: number;
  readonly kind: ItemKind;
  readonly callId: string | null;
  readonly name: string | null;
  /** Of an approval request: the label of the server whose tool it is. */
  readonly server?: string;
  readonly argumentsKind: ArgumentsKind | null;
  /** A call's arguments as sent, never parsed here; a message's text. Empty for ARGUMENTS_TOO_LARGE. */
  readonly content: string;
  /** Size of the content that arrived, as UTF-8. */
  readonly bytes: number;
  readonly state: "ITEM_TERMINAL" | "QUARANTINED";
  /** Why the item is set aside; null for ITEM_TERMINAL. */
  readonly errorClass: ErrorClass | null;
  /** Sorted; absent where there is none. They decide nothing. */
  readonly flags?: readonly ItemFlag[];
}

/** The one conclusion about one response. */
export interface ResponseReading {
  readonly responseId: string | null;
  readonly raw: RawSignal | null;
  readonly outcome: Outcome;
  /** Set for every `indeterminate` outcome, and for `truncated` where a larger budget would not help or a lie check found it. */
  readonly errorClass: ErrorClass | null;
  readonly items: readonly TerminalItem[];
  /** Verbatim, for replay; empty unless the response ended normally. */
  readonly outputItems: readonly JsonObject[];
  readonly outputText: string;
  readonly usage: Usage | null;
  /** Which of the run's stop sequences ended the output, by its place in their list; absent where none is known to. */
  readonly stopSequence?: number;
  /** The reason that the provider itself gave, where a gateway gives it on beside `raw`. */
  readonly nativeReason?: string;
  /** The provider's own code of the first error that it reported; absent where it gave none. */
  readonly errorCode?: string;
  /** What the provider said in words about how the response ended: content, to be sealed and never logged. */
  readonly providerText?: string;
  /** Sorted; absent where there is none. They decide nothing. */
  readonly flags?: readonly ResponseFlag[];
  readonly transport: {
    readonly end: TransportEnd;
    readonly bytes: number;
    readonly messages: number;
    readonly unknownEvents: number;
  };
}
