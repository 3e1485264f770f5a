import { once } from "node:events";
import type { Redis } from "@airlock/core/store";

/** Tells of keys that Redis expires: a test waits for them and not for the clock. */
export interface ExpiryWatch {
  /** Resolves when the key is gone; at once where it is already. */
  gone(key: string): Promise<void>;
  close(): void;
}

export async function watchExpiry(redis: Redis): Promise<ExpiryWatch> {
  await redis.config("SET", "notify-keyspace-events", "Exg");
  const listener = redis.duplicate();
  listener.setMaxListeners(0);
  await listener.psubscribe("__keyevent@0__:*");
  return {
    async gone(key) {
      while ((await redis.exists(key)) === 1) await once(listener, "pmessage");
    },
    close: () => listener.disconnect(),
  };
}
