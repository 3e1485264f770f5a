// Takes how a response ended and the run's stop sequences, gives the end in the run's own meaning; refuses a stop by
// a sequence that the run did not configure: then something else decided what the output is.
import type { ErrorClass } from "../fault/index.ts";
import { INDETERMINATE, isNormalEnd, type Outcome } from "../wire/index.ts";
import type { Finish } from "./accumulate.ts";

/** A text that ends the output, and whether what stands before it is then the whole. */
export interface StopSequence {
  readonly sequence: string;
  readonly meaning: "complete" | "truncated";
}

export interface MeantEnd {
  readonly outcome: Outcome;
  readonly errorClass: ErrorClass | null;
  readonly stopSequence?: number;
}

const OUTCOMES = {
  complete: { kind: "candidate_complete", action: null },
  truncated: { kind: "truncated", action: null },
} as const satisfies Record<StopSequence["meaning"], Outcome>;

export function applyMeaning(
  end: Omit<MeantEnd, "stopSequence">,
  finish: Finish | undefined,
  configured: readonly StopSequence[] | undefined,
): MeantEnd {
  const named = finish?.stopSequence;
  if (!isNormalEnd(end.outcome) || named === undefined || configured === undefined) return end;
  const stopSequence = configured.findIndex(({ sequence }) => sequence === named);
  const meaning = configured[stopSequence]?.meaning;
  if (meaning === undefined) return { outcome: INDETERMINATE, errorClass: "STOP_SEQUENCE_UNKNOWN" };
  // What asks for more than a judgement was ended in its middle.
  if (end.outcome.kind !== "candidate_complete") {
    return { outcome: INDETERMINATE, errorClass: "SIGNAL_CONFLICT", stopSequence };
  }
  return { outcome: OUTCOMES[meaning], errorClass: null, stopSequence };
}
