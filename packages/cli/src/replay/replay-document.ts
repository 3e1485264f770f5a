import type { ErrorClass } from "@airlock/core/fault";
import type { JsonValue } from "@airlock/core/json";
import type { ResponseReading, TerminalItem } from "@airlock/core/terminal";
import type { ArgumentsKind, Family, OutcomeKind } from "@airlock/core/wire";

/** One item of a replayed response. */
export interface ReplayItem {
  readonly ordinal: number;
  /** A hosted tool that asks for an approval counts among the provider's. */
  readonly kind: "tool_call" | "message" | "reasoning" | "provider_executed" | "other";
  readonly callId: string | null;
  readonly name: string | null;
  readonly argumentsKind: ArgumentsKind | null;
  /** The parsed value, or the raw text of a free-text call; null unless the call is whole and its text accepted. */
  readonly arguments: JsonValue;
  readonly state: TerminalItem["state"];
  readonly errorClass: ErrorClass | null;
}

/** What `airlock replay --json` prints for one file. */
export interface ReplayDocument {
  readonly family: Family;
  /** `completed`, `incomplete:max_output_tokens`; null where no signal was read. */
  readonly raw: string | null;
  readonly outcome: OutcomeKind;
  readonly responseId: string | null;
  readonly items: readonly ReplayItem[];
  /** Ordinals of the calls that would be released to validation and whose arguments the strict parser accepts. */
  readonly executable: readonly number[];
  readonly transport: ResponseReading["transport"];
  readonly errorClass: ErrorClass | null;
}
