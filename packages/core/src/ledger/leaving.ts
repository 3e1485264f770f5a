import { fromStates, TRANSITIONS, type Transition } from "../call/index.ts";
import type { ErrorClass } from "../fault/index.ts";
import { toldOf } from "./entry-place.ts";
import type { Conclusion, Kept } from "./ledger.ts";

/** A transition out of a state by the holder of its fence, and what it leaves behind. */
export interface Leaving {
  readonly transition: Transition;
  /** the live holder alone may do it, and once */
  readonly whileHeld: boolean;
  readonly content: string | null;
  readonly contentDigest: string | null;
  readonly errorClass: ErrorClass | null;
  readonly resultBytes: number;
  /** further fields of the entry; null for none */
  readonly fields: Readonly<Record<string, string | number | null>>;
}

export function givenBack(transition: "release" | "unbegin"): Leaving {
  return { ...NOTHING, transition, whileHeld: true, fields: { leaseUntil: 0 } };
}

export function keptBy(
  transition: Transition,
  kept: Kept,
  more: Readonly<Record<string, string | null>> = {},
): Leaving {
  const { content, contentDigest, errorClass, resultBytes, status, durationMs } = kept;
  const fields = { status, errorClass, resultBytes, durationMs, ...more };
  return { transition, whileHeld: false, content, contentDigest, errorClass, resultBytes, fields };
}

export function concluded(conclusion: Conclusion): Leaving {
  switch (conclusion.finding) {
    case "executed":
      return keptBy("recover", conclusion);
    case "not_executed":
      return { ...NOTHING, transition: "disprove", errorClass: "NOT_EXECUTED", fields: NOT_EXECUTED };
    case "inconclusive":
      return {
        ...NOTHING,
        transition: "ask_person",
        errorClass: "OUTCOME_UNKNOWN",
        fields: { published: 1, leaseUntil: 0 },
      };
  }
}

/** What the entry of a call says that was shown not to have run. */
export const NOT_EXECUTED = { status: "refused", errorClass: "NOT_EXECUTED" } as const;

const NOTHING = {
  whileHeld: false,
  content: null,
  contentDigest: null,
  errorClass: null,
  resultBytes: 0,
} as const;

/** The arguments of the script that leaves a state, after those that every script has. */
export function leavingArguments(
  itemKey: string,
  fence: number,
  leaving: Leaving,
): readonly (string | number)[] {
  const { transition, whileHeld, content, contentDigest, errorClass, resultBytes, fields } = leaving;
  const bytes = whileHeld ? null : resultBytes;
  const kept = Object.entries(fields).flatMap(([field, value]) => (value === null ? [] : [field, value]));
  return [
    fence,
    fromStates(transition),
    TRANSITIONS[transition].to,
    toldOf(itemKey, transition, { errorClass, bytes }),
    whileHeld ? "1" : "",
    content ?? "",
    contentDigest ?? "",
    ...kept,
  ];
}
