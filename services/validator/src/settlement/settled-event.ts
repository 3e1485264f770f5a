import type { ItemState } from "@airlock/core/call";
import type { RunEvent } from "@airlock/core/contract";
import type { ErrorClass } from "@airlock/core/fault";
import type { CallHash } from "@airlock/core/run";

/** The event that tells of a call's end where the validator itself ends it. */
export function settledEvent(
  itemKey: string,
  call: CallHash | null,
  settlement: {
    readonly settled: ItemState;
    readonly errorClass: ErrorClass | null;
    /** that refused it where it was decided anew */
    readonly rule?: string;
  },
): RunEvent {
  return {
    type: "item_state",
    itemKey,
    state: settlement.settled,
    tool: call?.tool ?? null,
    rule: settlement.rule ?? null,
    errorClass: settlement.errorClass,
    bytes: null,
  };
}
