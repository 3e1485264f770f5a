import type { Redis } from "@airlock/core/store";
import { readServerFacts, type ServerFacts } from "./server-facts.ts";

/** The server behind all connections that calls depend on. */
export interface ServerWatch {
  readonly add: (redis: Redis) => void;
  /** Throws where Redis doesn't answer, or where two connections lead to two servers. */
  look(): Promise<ServerFacts>;
  /** As of the last look; null before the first. */
  readonly facts: () => ServerFacts | null;
  /** The last look no longer counts. */
  stale(): boolean;
  /** Grows with each connection that is lost. */
  losses(): number;
}

/**
 * How long a look counts. The epoch changes only with a connection that is lost, and that asks for a new look by itself;
 * what can change without one is a setting that an operator sets on the running server.
 */
const LOOK_MS = 5_000;

export function createServerWatch(on: {
  readonly lost: () => void;
  readonly ready: () => void;
}): ServerWatch {
  const connections: Redis[] = [];
  let losses = 0;
  let facts: ServerFacts | null = null;
  let lookedAt = -Infinity;
  return {
    facts: () => facts,
    losses: () => losses,
    stale: () => performance.now() - lookedAt > LOOK_MS,
    add(redis) {
      connections.push(redis);
      redis.on("close", () => {
        losses += 1;
        on.lost();
      });
      redis.on("ready", on.ready);
    },
    async look() {
      const [first, ...others] = await Promise.all(connections.map(readServerFacts));
      if (first === undefined || others.some(({ epoch }) => epoch !== first.epoch)) {
        throw new Error("two connections lead to two servers");
      }
      facts = first;
      lookedAt = performance.now();
      return first;
    },
  };
}
