import { Redis } from "ioredis";

export type { Redis };

/**
 * Sends what is asked for within one turn of the event loop in one write, in the order in which it was asked for. A write
 * for each command costs both sides a system call, and Redis with `appendfsync always` a turn of the disk.
 */
class GatheringRedis extends Redis {
  private gathers = false;

  override sendCommand(...sent: Parameters<Redis["sendCommand"]>): unknown {
    if (this.status === "ready" && !this.gathers) {
      const { stream } = this;
      this.gathers = true;
      stream.cork();
      setImmediate(() => {
        this.gathers = false;
        stream.uncork();
      });
    }
    return super.sendCommand(...sent);
  }
}

/**
 * A connection that waits for Redis as long as it takes, and says so once per outage.
 * Blocking reads, which must not hold up other commands, have a connection of their own, a `duplicate()`.
 */
export function connectRedis(
  url: string,
  options: { readonly name: string; readonly onState: (state: "up" | "down") => void },
): Redis {
  const redis = new GatheringRedis(url, {
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
