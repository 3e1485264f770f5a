// The feed of notices in, one job for each webhook and notice out; one console does this at a time, and whoever takes over
// from one that died goes on where its place was moved to last.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { readNotice } from "@airlock/core/queue";
import { errorFields } from "@airlock/core/runtime";
import { globalKeys, redisNow } from "@airlock/core/store";
import { createDeliveries, type Deliveries } from "./deliveries.ts";
import { OLDEST_MS, type NotifyDeps, type Pace } from "./deps.ts";
import type { NotifiedEvent } from "./event.ts";
import { tellExpiring } from "./expiring.ts";
import { createFeedPlace, type FeedPlace } from "./feed-place.ts";
import { labelsOf } from "./labels.ts";

const BATCH = 100;

type Entry = readonly [id: string, fields: readonly string[]];

/** Follows until the signal aborts. A failed look is logged and tried again. */
export async function followFeed(deps: NotifyDeps, signal: AbortSignal, pace: Pace): Promise<void> {
  const place = createFeedPlace(deps.redis, {
    owner: `${process.pid}.${randomUUID()}`,
    leaseMs: pace.leaseMs,
  });
  const deliveries = createDeliveries(deps);
  let expiringAt = 0;
  while (!signal.aborted) {
    try {
      const after = await place.lead();
      if (after !== null && performance.now() >= expiringAt) {
        await tellExpiring(deps, deliveries);
        expiringAt = performance.now() + pace.expiringMs;
      }
      if (after !== null && (await passOn(deps, { after, place, deliveries }))) continue;
    } catch (error) {
      if (!signal.aborted)
        deps.log.write("warn", "handler_failed", { place: "notifier", ...errorFields(error) });
    }
    await sleep(pace.tickMs, undefined, { signal }).catch(() => undefined);
  }
  // while Redis is away the command would wait for it: the lease then ends by itself
  if (deps.redis.status === "ready") await place.resign().catch(() => undefined);
  await deliveries.close();
}

interface Passing {
  readonly after: string;
  readonly place: FeedPlace;
  readonly deliveries: Deliveries;
}

/** True where there may be more at once. Jobs first, then the place: a crash between them repeats what ids make harmless. */
async function passOn(deps: NotifyDeps, { after, place, deliveries }: Passing): Promise<boolean> {
  const entries = await deps.redis.xrange(globalKeys.feed, `(${after}`, "+", "COUNT", BATCH);
  const last = entries.at(-1);
  if (last === undefined) return false;
  await noteGap(deps, after);
  const since = (await redisNow(deps.redis)) - OLDEST_MS;
  const events = await Promise.all(
    entries.filter(([id]) => timeOf(id) >= since).map((entry) => eventOf(deps, entry)),
  );
  await deliveries.add(events.filter((event) => event !== null));
  return (await place.move(after, last[0])) && entries.length === BATCH;
}

/** The feed is capped: where the entry of the place is gone, some behind it may be gone as well. */
async function noteGap({ redis, log }: NotifyDeps, after: string): Promise<void> {
  if (after === "0-0") return;
  const [entry] = await redis.xrange(globalKeys.feed, after, after);
  if (entry === undefined) log.write("warn", "notices_missed", { place: after });
}

/** Null for what this build can't read: it is told of, and holds up nothing behind it. */
async function eventOf({ redis, log }: NotifyDeps, [id, fields]: Entry): Promise<NotifiedEvent | null> {
  const notice = readNotice(fields);
  const at = new Date(timeOf(id));
  if (notice === null || Number.isNaN(at.getTime())) {
    log.write("warn", "notices_missed", { place: id });
    return null;
  }
  const labels =
    notice.type === "run_ended" ? notice.labels : "run" in notice ? await labelsOf(redis, notice.run) : {};
  return { id, at: at.toISOString(), labels, notice };
}

function timeOf(id: string): number {
  return Number(id.split("-")[0]);
}
