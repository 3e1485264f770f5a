import type { ErrorClass } from "@airlock/core/fault";
import { sendCancel } from "@airlock/core/queue";
import type { TurnParts } from "@airlock/core/record";
import { readCall } from "@airlock/core/run";
import type { Deps } from "../deps.ts";
import { settledEvent } from "../settlement/settled-event.ts";
import { endRun } from "./end-run.ts";

/** The budgets that an unlocking may go over, by its answer. */
const OVER = {
  late: "DEADLINE_EXCEEDED",
  over_calls: "BUDGET_CALLS",
  over_mutating: "BUDGET_MUTATING",
} as const satisfies Record<string, ErrorClass>;

/**
 * Ends a run that is over one of its budgets: the calls that were to run and now don't are denied for it, and what still
 * runs is stopped.
 */
export async function endOver(
  deps: Deps,
  turn: TurnParts,
  { over, calls = [] }: { readonly over: keyof typeof OVER; readonly calls?: readonly string[] },
): Promise<void> {
  const errorClass = OVER[over];
  const settlement = { settled: "DENIED", errorClass } as const;
  for (const itemKey of calls) {
    const call = await readCall(deps.redis, itemKey);
    const events = [settledEvent(itemKey, call, settlement)];
    await deps.store.settle(itemKey, { fields: settlement, events, ifGrant: call?.voidGrant ?? 0 });
  }
  await endRun(deps, turn, { state: "escalated", errorClass });
  await sendCancel(deps.redis, turn.run);
}
