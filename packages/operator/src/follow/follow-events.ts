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

/** An event with its place in the run's stream, from which a reader may go on. */
export interface PlacedEvent extends TimedEvent {
  readonly id: string;
}

/**
 * All events of a run behind `after`, then each new one, until the run has ended or `signal` aborts. Outages are waited for.
 * An end that a person had the run go on from is none.
 */
export async function* followEvents(
  redis: Redis,
  run: string,
  signal: AbortSignal,
): AsyncGenerator<TimedEvent, void> {
  for await (const { at, event } of followPlaced(redis, run, { after: null, signal })) yield { at, event };
}

/** Those that there are behind a place. */
export async function readPlaced(
  redis: Redis,
  run: string,
  after: string | null,
): Promise<readonly PlacedEvent[]> {
  const entries = await entriesAfter(redis, run, after === null ? "-" : `(${after}`);
  return entries.flatMap(({ id, timed }) => (timed === null ? [] : [{ id, ...timed }]));
}

/** The same, each with its place. A place behind the run's end gives nothing. */
export async function* followPlaced(
  redis: Redis,
  run: string,
  { after, signal }: { readonly after: string | null; readonly signal: AbortSignal },
): AsyncGenerator<PlacedEvent, void> {
  for await (const { ended, entries } of followEntries(redis, run, { after: after ?? "0", signal })) {
    const events = entries.flatMap(({ id, timed }) => (timed === null ? [] : [{ id, ...timed }]));
    const requeued = events.findLastIndex(({ event }) => event.type === "run_requeued");
    const end = events.findIndex(({ event }, at) => at > requeued && event.type === "run_ended");
    yield* end < 0 ? events : events.slice(0, end + 1);
    // of what is read behind the end, or was trimmed, no event tells of the end
    if (end >= 0 || (ended && entries.length === 0)) return;
  }
}

async function hasEnded(redis: Redis, run: string): Promise<boolean> {
  return (await redis.hexists(runKeys(run).run, "endedAt")) === 1;
}

async function* followEntries(
  redis: Redis,
  run: string,
  { after, signal }: { readonly after: string; readonly signal: AbortSignal },
): AsyncGenerator<{ readonly ended: boolean; readonly entries: readonly Entry[] }, void> {
  const blocking = redis.duplicate();
  blocking.on("error", () => undefined); // the shared connection reports the outage
  const leave = (): void => blocking.disconnect();
  signal.addEventListener("abort", leave, { once: true });
  let last = after;
  try {
    while (!signal.aborted) {
      // asked first, so that the event of an end that is known is among those read
      const ended = await hasEnded(redis, run);
      const entries = await entriesAfter(redis, run, `(${last}`);
      yield { ended, entries };
      last = entries.at(-1)?.id ?? last;
      if (entries.length > 0) continue;
      // only to be woken: what is new is read above, in one form for every protocol version
      await blocking.xread("BLOCK", BLOCK_MS, "STREAMS", runKeys(run).events, last).catch(() => undefined);
    }
  } finally {
    signal.removeEventListener("abort", leave);
    blocking.disconnect();
  }
}

interface Entry {
  readonly id: string;
  readonly timed: TimedEvent | null;
}

async function entriesAfter(redis: Redis, run: string, from: string): Promise<readonly Entry[]> {
  const entries = await redis.xrange(runKeys(run).events, from, "+");
  return entries.map(([id, fields]) => {
    const event = readEvent(fields);
    const at = new Date(Number(id.split("-")[0])).toISOString();
    return { id, timed: event === null ? null : { at, event } };
  });
}
