// Takes what was read of a response so far, gives each call that is whole by its own signal, once and in order;
// refuses every further one after the first contradiction, error or finishing signal.
import type { Outcome } from "../wire/index.ts";
import type { Accumulated } from "./accumulate.ts";
import type { TerminalItem } from "./reading.ts";
import { settleItem } from "./settle-items.ts";

/** What the response has to end with, or else nothing that was told early counts. */
const HOPED_FOR: Outcome = { kind: "action_required", action: "tool" };

/** Returns the step to take after events; an item is told of only when all items before it are finished too. */
export function createEarlyItems(
  state: Accumulated,
  maxArgumentBytes: number,
  onItem: (item: TerminalItem) => void,
): () => void {
  let next = 0;
  return () => {
    if (state.faults.length > 0 || state.finishes.length > 0) return;
    for (const item of [...state.items.values()].slice(next)) {
      if (item.finished === null) return;
      next += 1;
      const settled = settleItem(item, HOPED_FOR, maxArgumentBytes);
      if (settled.kind === "tool_call" && settled.state === "ITEM_TERMINAL") onItem(settled);
    }
  };
}
