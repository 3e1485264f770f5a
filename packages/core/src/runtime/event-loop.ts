import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Metrics } from "./metrics.ts";

const RESOLUTION_MS = 10;

/** Measures how late this process' timers are; each call of what it returns tells of the time since the last one. */
export function measureEventLoop(metrics: Pick<Metrics, "show">): () => Promise<void> {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return () => {
    const readings = [
      { quantile: "0.5", value: seconds(delays.percentile(50)) },
      { quantile: "0.99", value: seconds(delays.percentile(99)) },
      { quantile: "1", value: seconds(delays.max) },
    ].map(({ quantile, value }) => ({ labels: { quantile }, value }));
    metrics.show("airlock_event_loop_delay_seconds", delays.count === 0 ? [] : readings);
    delays.reset();
    return Promise.resolve();
  };
}

/** A timer that fires on time is as late as the resolution. */
function seconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1_000);
}
