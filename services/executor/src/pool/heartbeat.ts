import { setTimeout as sleep } from "node:timers/promises";
import { beatPool, POOL_BEAT_MS } from "@airlock/core/run";
import type { Redis } from "@airlock/core/store";

/** Says, until `signal` aborts, that this executor serves its pool. */
export interface Heartbeat {
  /** From here on it takes no further work. */
  drain(): void;
  readonly done: Promise<void>;
}

export function startHeartbeat(
  redis: Redis,
  member: { readonly pool: string; readonly id: string; readonly host: string },
  signal: AbortSignal,
): Heartbeat {
  const { pool, id, host } = member;
  let draining = false;
  const beat = (): Promise<void> => beatPool(redis, pool, { id, host, draining });
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      // Without Redis there is nobody to tell; the validator sees the silence.
      await beat().catch(() => undefined);
      await sleep(POOL_BEAT_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  return {
    drain() {
      draining = true;
      void beat().catch(() => undefined);
    },
    done: run(),
  };
}
