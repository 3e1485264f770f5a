// Takes a turn's calls that ran before their response had ended, gives their end where the response came to nothing:
// what they gave never reaches the conversation, what has not begun never will, and each is told of once.
import { parseItemKey, type TurnParts } from "@airlock/core/record";
import { readCall } from "@airlock/core/run";
import type { Deps } from "../deps.ts";
import { logSettledItem } from "./log-settled.ts";
import { settledEvent } from "./settled-event.ts";

const errorClass = "PROVISIONAL_DROPPED";

/** Returns the item keys that were dropped, now or before the caller's crash: all but those to keep. */
export async function dropEarly(
  deps: Deps,
  turn: TurnParts,
  keep: ReadonlySet<string> = new Set(),
): Promise<ReadonlySet<string>> {
  const early = (await deps.store.earlyCalls(turn)).filter((itemKey) => !keep.has(itemKey));
  for (const itemKey of early) await dropCall(deps, itemKey);
  return new Set(early);
}

async function dropCall(deps: Deps, itemKey: string): Promise<void> {
  const parts = parseItemKey(itemKey);
  if (parts === null) return;
  const call = await readCall(deps.redis, itemKey);
  const first = await deps.store.dropEarly(parts, {
    errorClass,
    ifRun: [settledEvent(itemKey, call, { settled: call?.settled ?? "EXECUTED", errorClass })],
    ifNot: [settledEvent(itemKey, call, { settled: "CANCELLED", errorClass })],
  });
  if (!first) return;
  deps.log.write("info", "call_settled", { itemKey, state: call?.settled ?? "CANCELLED", errorClass });
  await logSettledItem(deps, itemKey);
}
