import { globalKeys, type Redis } from "../store/index.ts";

/** The sweeper's list. */
export interface OpenTurns {
  /** Notes that a turn has no successor yet, or is to be looked at again in `afterMs`. */
  keepOpen(turn: string, afterMs: number): Promise<void>;
  dropOpen(turn: string): Promise<void>;
}

export function openTurns(redis: Redis): OpenTurns {
  return {
    async keepOpen(turn, afterMs) {
      await redis.zadd(globalKeys.open, Date.now() + afterMs, turn);
    },
    async dropOpen(turn) {
      await redis.zrem(globalKeys.open, turn);
    },
  };
}
