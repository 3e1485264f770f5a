// Keys of streams in, a call whenever one of them has grown out. One round trip a tick for all who watch, and none while
// nobody does: a page costs no connection to Redis.
import type { Redis } from "@airlock/core/store";

const TICK_MS = 250;

export interface StreamWatch {
  /** `after`: the id of the last entry that was seen. Returns what ends it. */
  watch(stream: { readonly key: string; readonly after: string }, onGrown: () => void): () => void;
  close(): void;
}

/** By listener: the last entry that it knows of. */
type Watched = Map<() => void, string>;

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
    watch({ key, after }, onGrown) {
      const watched: Watched = streams.get(key) ?? new Map<() => void, string>();
      streams.set(key, watched);
      watched.set(onGrown, after);
      timer ??= setInterval(() => void look(), TICK_MS);
      return () => {
        watched.delete(onGrown);
        if (watched.size === 0) streams.delete(key);
        if (streams.size === 0) stop();
      };
    },
    close() {
      streams.clear();
      stop();
    },
  };
}

/** The id of a stream's last entry; empty where there is none. */
export async function newest(redis: Redis, key: string): Promise<string> {
  const [entry] = await redis.xrevrange(key, "+", "-", "COUNT", 1);
  return entry?.[0] ?? "";
}

function tell(watched: Watched | undefined, last: string): void {
  for (const [listener, seen] of watched ?? []) {
    if (seen === last) continue;
    watched?.set(listener, last);
    listener();
  }
}
