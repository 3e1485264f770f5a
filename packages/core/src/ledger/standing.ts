import { ITEM_STATES, type ItemState } from "../call/index.ts";
import { namesOf } from "../fault/index.ts";

/** What follows from an entry's state, whoever led it there. */
export const STANDING = {
  /** it runs under a lease, and one with effects has the workspace to itself */
  held: ["CLAIMED", "STARTED"],
  /** nobody knows whether it ran: one with effects lets no other change the workspace */
  unknown: ["OUTCOME_UNKNOWN", "RECONCILING", "NEEDS_HUMAN"],
  /** only a person can say: others are refused instead of waiting */
  frozen: ["NEEDS_HUMAN"],
  /** it stays until it is resolved, however long that takes */
  kept: ["STARTED", "OUTCOME_UNKNOWN", "RECONCILING", "NEEDS_HUMAN"],
  /** what it might be probed with is needed no more */
  unprobed: ["POLICY_APPROVED", ...namesOf(ITEM_STATES).filter((state) => ITEM_STATES[state].final)],
} as const satisfies Record<string, readonly ItemState[]>;
