import { TRANSITIONS, type ItemState, type Transition } from "../call/index.ts";
import type { RunEvent } from "../contract/index.ts";
import { AirlockError, type ErrorClass } from "../fault/index.ts";
import { parseItemKey } from "../record/index.ts";
import { eventText, runKeys, type RunKeys } from "../store/index.ts";

export function keysOf(itemKey: string): RunKeys {
  const parts = parseItemKey(itemKey);
  if (parts === null) throw new AirlockError("RECORD_INVALID", "an item key is malformed");
  return runKeys(parts.run);
}

/** The keys of every script over an entry, in their order. */
export function entryKeys(itemKey: string): readonly string[] {
  const keys = keysOf(itemKey);
  const { run, workspace, events, unknown, frozen } = keys;
  return [
    keys.ledger(itemKey),
    keys.call(itemKey),
    run,
    workspace,
    events,
    keys.result(itemKey),
    unknown,
    frozen,
  ];
}

export interface Told {
  readonly tool?: string | null;
  readonly errorClass?: ErrorClass | null;
  readonly bytes?: number | null;
}

/** The event of a state that is entered, as the scripts append it. */
export function told(itemKey: string, state: ItemState, more: Told = {}): string {
  const { tool = null, errorClass = null, bytes = null } = more;
  const event: RunEvent = { type: "item_state", itemKey, state, tool, rule: null, errorClass, bytes };
  return eventText([event]);
}

export function toldOf(itemKey: string, transition: Transition, more: Told = {}): string {
  return told(itemKey, TRANSITIONS[transition].to, more);
}
