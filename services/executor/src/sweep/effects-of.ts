import { readCall, readTurn } from "@airlock/core/run";
import type { Redis } from "@airlock/core/store";

/** A commit message is no archive: the run itself lists all of its calls. */
const NAMED = 200;

/** The calls of a run that had an effect, or may have had one, in their order. */
export async function effectsOf(
  redis: Redis,
  { run, turns }: { readonly run: string; readonly turns: number },
): Promise<{ readonly items: readonly string[]; readonly more: number }> {
  const items: string[] = [];
  for (let number = 1; number <= turns; number += 1) {
    const turn = await readTurn(redis, run, number);
    for (const itemKey of turn?.calls.keys() ?? []) {
      const call = await readCall(redis, itemKey);
      const ran = call?.settled === "EXECUTED" || call?.settled === "OUTCOME_UNKNOWN";
      if (ran && call.effect !== "read") items.push(itemKey);
    }
  }
  return { items: items.slice(0, NAMED), more: Math.max(0, items.length - NAMED) };
}
