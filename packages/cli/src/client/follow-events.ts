import type { RunEvent } from "@airlock/core/contract";
import { readEvent, runKeys, type Redis } from "@airlock/core/store";

export interface TimedEvent {
  readonly at: string;
  readonly event: RunEvent;
}

const BLOCK_MS = 2_000;

/** The events that a run's stream holds, oldest first. Those of a newer build are left out. */
export async function readEvents(redis: Redis, run: string): Promise<readonly TimedEvent[]> {
  return (await entriesAfter(redis, run, "-")).flatMap(({ timed }) => timed ?? []);
}

/** All events of a run, then each new one, until the run has ended or `signal` aborts. Outages are waited for. */
export async function* followEvents(
  redis: Redis,
  run: string,
  signal: AbortSignal,
): AsyncGenerator<TimedEvent, void> {
  const blocking = redis.duplicate();
  blocking.on("error", () => undefined); // the shared connection reports the outage
  const leave = (): void => blocking.disconnect();
  signal.addEventListener("abort", leave, { once: true });
  let last = "-";
  try {
    while (!signal.aborted) {
      const entries = await entriesAfter(redis, run, last);
      for (const { id, timed } of entries) {
        last = `(${id}`;
        if (timed === null) continue;
        yield timed;
        if (timed.event.type === "run_ended") return;
      }
      if (entries.length > 0) continue;
      const from = last === "-" ? "0" : last.slice(1);
      // only to be woken: what is new is read above, in one form for every protocol version
      await blocking
        .xread("BLOCK", BLOCK_MS, "STREAMS", runKeys(run).events, from)
        .catch(() => undefined);
    }
  } finally {
    signal.removeEventListener("abort", leave);
    blocking.disconnect();
  }
}

async function entriesAfter(
  redis: Redis,
  run: string,
  from: string,
): Promise<readonly { readonly id: string; readonly timed: TimedEvent | null }[]> {
  const entries = await redis.xrange(runKeys(run).events, from, "+");
  return entries.map(([id, fields]) => {
    const event = readEvent(fields);
    const at = new Date(Number(id.split("-")[0])).toISOString();
    return { id, timed: event === null ? null : { at, event } };
  });
}
