import type { RunEvent } from "@airlock/core/contract";
import { readCall, readConversation, readTurn } from "@airlock/core/run";
import { readEvent, runKeys } from "@airlock/core/store";
import type { Cell } from "./cell.ts";

/** Calls that began or ended for good; what comes between is the same for all. */
const TOLD = new Set(["STARTED", "EXECUTED", "CANCELLED"]);

export async function eventsOf(cell: Cell, run: string): Promise<readonly RunEvent[]> {
  const entries = await cell.redis.xrange(runKeys(run).events, "-", "+");
  return entries.flatMap(([, fields]) => readEvent(fields) ?? []);
}

/** What happened to calls and attempts, in order, in the words of the events. */
export async function storyOf(cell: Cell, run: string): Promise<readonly string[]> {
  return (await eventsOf(cell, run)).flatMap((event) => {
    if (event.type === "attempt_committed") return [`${event.turn}.${event.attempt} ${event.outcome}`];
    if (event.type !== "item_state" || !TOLD.has(event.state)) return [];
    return [
      `${placeOf(event.itemKey)} ${event.state}${event.errorClass === null ? "" : ` ${event.errorClass}`}`,
    ];
  });
}

/** Each call of a run's turns: turn and attempt, tool, and what became of it. */
export async function callsOf(cell: Cell, run: string, turns: number): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const hash = await readTurn(cell.redis, run, turn);
    for (const key of hash?.calls.keys() ?? []) {
      const call = await readCall(cell.redis, key);
      lines.push(
        `${turn}.${hash?.attempt} ${call?.tool} ${call?.settled} ${call?.errorClass ?? call?.status}`,
      );
    }
  }
  return lines;
}

/** The results that the conversation holds: whose, and whether it is one of a call that didn't run. */
export async function resultsOf(cell: Cell, run: string): Promise<readonly (readonly [string, boolean])[]> {
  const deps = { redis: cell.redis, keyring: cell.keyrings.validator };
  const entries = await readConversation(deps, run);
  return entries.flatMap((entry) =>
    entry.type === "call_result" ? [[placeOf(entry.itemKey), entry.failed === true] as const] : [],
  );
}

/** An item's key without its run. */
function placeOf(itemKey: string): string {
  return itemKey.slice(itemKey.indexOf(".") + 1);
}
