import { Redis } from "ioredis";

export type { Redis };

/**
 * A connection that waits for Redis as long as it takes, and says so once per outage.
 * `blocking` connections are for blocking reads, which must not hold up other commands.
 */
export function connectRedis(
  url: string,
  options: { readonly name: string; readonly onState: (state: "up" | "down") => void },
): Redis {
  const redis = new Redis(url, {
    connectionName: options.name,
    maxRetriesPerRequest: null,
    enableReadyCheck: true,
    disableClientInfo: true, // CLIENT SETINFO is unknown to Redis 7.0, and not among the rights of our users
    retryStrategy: (tries) => Math.min(50 * 2 ** Math.min(tries, 6), 2_000),
  });
  let state: "up" | "down" = "up";
  const report = (next: "up" | "down"): void => {
    if (next === state) return;
    state = next;
    options.onState(next);
  };
  redis.on("error", () => report("down"));
  redis.on("close", () => report("down"));
  redis.on("ready", () => report("up"));
  return redis;
}
