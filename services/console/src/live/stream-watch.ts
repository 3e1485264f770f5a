// Keys of streams in, a call whenever one of them has grown out. One round trip a tick for all who watch, and none while
// nobody does: a page costs no connection to Redis.
import type { Redis } from "@airlock/core/store";

const TICK_MS = 250;

export interface StreamWatch {
  /** Returns what ends it. */
  watch(key: string, onGrown: () => void): () => void;
  close(): void;
}

interface Watched {
  /** null until it was looked at */
  last: string | null;
  readonly listeners: Set<() => void>;
}

export function createStreamWatch(redis: Redis): StreamWatch {
  const streams = new Map<string, Watched>();
  let timer: NodeJS.Timeout | null = null;
  let looking = false;

  async function look(): Promise<void> {
    // an outage is waited for: the commands of one look are all that pile up
    if (looking) return;
    looking = true;
    try {
      const found = await Promise.all(
        [...streams.keys()].map(async (key) => [key, await newest(redis, key)] as const),
      );
      for (const [key, last] of found) tell(streams.get(key), last);
    } catch {
      // the shared connection reports the outage; the next look finds what has grown meanwhile
    } finally {
      looking = false;
    }
  }

  function stop(): void {
    if (timer !== null) clearInterval(timer);
    timer = null;
  }

  return {
    watch(key, onGrown) {
      const watched = streams.get(key) ?? { last: null, listeners: new Set<() => void>() };
      streams.set(key, watched);
      watched.listeners.add(onGrown);
      timer ??= setInterval(() => void look(), TICK_MS);
      return () => {
        watched.listeners.delete(onGrown);
        if (watched.listeners.size === 0) streams.delete(key);
        if (streams.size === 0) stop();
      };
    },
    close() {
      streams.clear();
      stop();
    },
  };
}

async function newest(redis: Redis, key: string): Promise<string> {
  const [entry] = await redis.xrevrange(key, "+", "-", "COUNT", 1);
  return entry?.[0] ?? "";
}

function tell(watched: Watched | undefined, last: string): void {
  if (watched === undefined || watched.last === last) return;
  const grown = watched.last !== null;
  watched.last = last;
  if (grown) for (const listener of watched.listeners) listener();
}
