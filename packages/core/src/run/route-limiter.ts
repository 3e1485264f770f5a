import { z } from "zod";
import { globalKeys, runScript, type Redis } from "../store/index.ts";
import { BACK_OFF, KEEP_SLOT, TAKE_SLOT } from "./scripts/limit-scripts.ts";

export interface RouteLimits {
  /** requests that all streamers together have open at once; null for no limit */
  readonly concurrency: number | null;
  /** requests that all streamers together start in a minute; null for no limit */
  readonly requestsPerMinute: number | null;
}

/** What all streamers share about a route: its slots, its starts, and the wait after a refusal. */
export interface RouteLimiter {
  /** 0 where the slot was taken, else the milliseconds to wait before it is asked for again. */
  take(route: string, slot: string, limits: RouteLimits): Promise<number>;
  keep(route: string, slot: string): Promise<void>;
  release(route: string, slot: string): Promise<void>;
  /** After a 429: nobody sends for the returned milliseconds. */
  backOff(route: string, retryAfterMs: number | null): Promise<number>;
  /** After an answer that was none: the next back-off starts small again. */
  recover(route: string): Promise<void>;
}

/** A slot that is not kept is free again after this time: its streamer died. */
export const SLOT_LEASE_MS = 30_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export function createRouteLimiter(redis: Redis): RouteLimiter {
  return {
    async take(route, slot, { concurrency, requestsPerMinute }) {
      const { state, slots, starts } = keysOf(route);
      const answer = await runScript(redis, TAKE_SLOT, {
        keys: [state, slots, starts],
        args: [slot, SLOT_LEASE_MS, concurrency ?? 0, requestsPerMinute ?? 0],
      });
      return z.number().parse(answer);
    },
    async keep(route, slot) {
      await runScript(redis, KEEP_SLOT, {
        keys: [keysOf(route).slots],
        args: [slot, SLOT_LEASE_MS],
      });
    },
    async release(route, slot) {
      await redis.zrem(keysOf(route).slots, slot);
    },
    async backOff(route, retryAfterMs) {
      const answer = await runScript(redis, BACK_OFF, {
        keys: [keysOf(route).state],
        args: [retryAfterMs ?? 0, FIRST_WAIT_MS, LONGEST_WAIT_MS],
      });
      return z.number().parse(answer);
    },
    async recover(route) {
      await redis.hdel(keysOf(route).state, "refusals");
    },
  };
}

/** One hash tag, for one script. */
function keysOf(route: string): { readonly state: string; readonly slots: string; readonly starts: string } {
  const state = globalKeys.limit(route);
  return { state, slots: `${state}:slots`, starts: `${state}:starts` };
}
