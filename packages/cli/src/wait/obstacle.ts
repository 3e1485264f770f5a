// Events of a run in, what it waits for out: people's approvals, a pool's executors, a suspended route.
import type { RunEvent } from "@airlock/core/contract";

export interface Obstacles {
  /** calls that wait for a person, with their tools, oldest first */
  readonly approvals: ReadonlyMap<string, string>;
  readonly pool: boolean;
  /** the route that is suspended, where an attempt waits for it */
  readonly route: string | null;
}

export const NO_OBSTACLES: Obstacles = { approvals: new Map(), pool: false, route: null };

export function afterEvent(before: Obstacles, event: RunEvent): Obstacles {
  if (event.type === "item_state") return afterItem(before, event);
  if (event.type === "attempt_parked") return { ...before, route: event.route };
  return { ...before, ...CHANGES[event.type] };
}

/** What the other events say; those that are not named say nothing about it. */
const CHANGES: { readonly [Type in RunEvent["type"]]?: Partial<Obstacles> } = {
  attempt_opened: NO_OBSTACLES,
  attempt_begun: { route: null },
  pool_awaited: { pool: true },
  run_bound: { pool: false },
  run_requeued: NO_OBSTACLES,
  run_ended: NO_OBSTACLES,
};

function afterItem(before: Obstacles, event: Extract<RunEvent, { type: "item_state" }>): Obstacles {
  const { itemKey, state } = event;
  const awaits = state === "AWAITING_APPROVAL";
  if (awaits === before.approvals.has(itemKey)) return before;
  const others = [...before.approvals].filter(([key]) => key !== itemKey);
  const tool = event.tool ?? "call";
  return { ...before, approvals: new Map(awaits ? [...others, [itemKey, tool]] : others) };
}
