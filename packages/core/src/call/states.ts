import { z } from "zod";
import { namesOf } from "../fault/index.ts";

/**
 * The life of one item. Each transition names the states that it may leave and the one it enters; the Redis scripts
 * compare against this table, so there is no second copy of it. RECEIVING and ITEM_OPEN live only in the streamer's memory.
 */
export const ITEM_STATES = {
  RECEIVING: { final: false },
  ITEM_OPEN: { final: false },
  ITEM_TERMINAL: { final: false },
  PARSED: { final: false },
  SCHEMA_VALID: { final: false },
  AWAITING_APPROVAL: { final: false },
  POLICY_APPROVED: { final: false },
  CLAIMED: { final: false },
  STARTED: { final: false },
  OUTCOME_UNKNOWN: { final: false },
  RECONCILING: { final: false },
  NEEDS_HUMAN: { final: false },
  EXECUTED: { final: true },
  NOT_EXECUTED: { final: true },
  QUARANTINED: { final: true },
  DENIED: { final: true },
  EXPIRED: { final: true },
  CANCELLED: { final: true },
} as const satisfies Record<string, { readonly final: boolean }>;

export type ItemState = keyof typeof ITEM_STATES;
export const itemStateSchema = z.enum(namesOf(ITEM_STATES));

interface Step {
  readonly from: readonly ItemState[];
  readonly to: ItemState;
}

export const TRANSITIONS = {
  open: { from: ["RECEIVING"], to: "ITEM_OPEN" },
  finish: { from: ["ITEM_OPEN"], to: "ITEM_TERMINAL" },
  parse: { from: ["ITEM_TERMINAL"], to: "PARSED" },
  accept_schema: { from: ["PARSED"], to: "SCHEMA_VALID" },
  quarantine: {
    from: ["RECEIVING", "ITEM_OPEN", "ITEM_TERMINAL", "PARSED", "SCHEMA_VALID"],
    to: "QUARANTINED",
  },
  allow: { from: ["SCHEMA_VALID"], to: "POLICY_APPROVED" },
  ask: { from: ["SCHEMA_VALID"], to: "AWAITING_APPROVAL" },
  approve: { from: ["AWAITING_APPROVAL"], to: "POLICY_APPROVED" },
  deny: { from: ["SCHEMA_VALID", "AWAITING_APPROVAL", "POLICY_APPROVED", "CLAIMED"], to: "DENIED" },
  expire: { from: ["AWAITING_APPROVAL", "POLICY_APPROVED", "CLAIMED"], to: "EXPIRED" },
  cancel: { from: ["AWAITING_APPROVAL", "POLICY_APPROVED", "CLAIMED"], to: "CANCELLED" },
  claim: { from: ["POLICY_APPROVED"], to: "CLAIMED" },
  release: { from: ["CLAIMED"], to: "POLICY_APPROVED" },
  redecide: { from: ["AWAITING_APPROVAL", "POLICY_APPROVED"], to: "SCHEMA_VALID" },
  begin: { from: ["CLAIMED"], to: "STARTED" },
  unbegin: { from: ["STARTED"], to: "POLICY_APPROVED" },
  commit: { from: ["STARTED"], to: "EXECUTED" },
  lose: { from: ["STARTED"], to: "OUTCOME_UNKNOWN" },
  lose_unseen: { from: ["POLICY_APPROVED", "CLAIMED"], to: "OUTCOME_UNKNOWN" },
  allow_again: { from: ["OUTCOME_UNKNOWN"], to: "POLICY_APPROVED" },
  reconcile: { from: ["OUTCOME_UNKNOWN", "RECONCILING"], to: "RECONCILING" },
  recover: { from: ["RECONCILING"], to: "EXECUTED" },
  disprove: { from: ["RECONCILING"], to: "NOT_EXECUTED" },
  ask_person: { from: ["RECONCILING"], to: "NEEDS_HUMAN" },
  resolve_done: { from: ["NEEDS_HUMAN"], to: "EXECUTED" },
  resolve_undone: { from: ["NEEDS_HUMAN"], to: "NOT_EXECUTED" },
} as const satisfies Record<string, Step>;

export type Transition = keyof typeof TRANSITIONS;

/** The state after a transition, or null where the table doesn't allow it: nothing else changes a state. */
export function applyTransition(state: ItemState, transition: Transition): ItemState | null {
  const step: Step = TRANSITIONS[transition];
  return step.from.includes(state) ? step.to : null;
}

/** The states that a transition may leave, in the form that the scripts compare with: `,A,B,`. */
export function fromStates(transition: Transition): string {
  return stateList(TRANSITIONS[transition].from);
}

export function stateList(states: readonly ItemState[]): string {
  return `,${states.join(",")},`;
}

export function isFinal(state: ItemState): boolean {
  return ITEM_STATES[state].final;
}
