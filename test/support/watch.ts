import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent } from "@airlock/core/contract";
import { readEvent, runKeys, type Redis } from "@airlock/core/store";

/** Resolves with the first event of a run, after the given number of earlier hits, that fits. */
export async function eventWhere(
  redis: Redis,
  run: string,
  fits: (event: RunEvent, index: number) => boolean,
): Promise<RunEvent> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const entries = await redis.xrange(runKeys(run).events, "-", "+");
    const events = entries.flatMap(([, fields]) => readEvent(fields) ?? []);
    const found = events.find(fits);
    if (found !== undefined) return found;
    await sleep(5);
  }
  throw new Error(`run ${run} never had the event`);
}
