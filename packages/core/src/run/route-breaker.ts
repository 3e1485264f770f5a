import { z } from "zod";
import { globalKeys, redisNow, runScript, type Redis } from "../store/index.ts";
import { BREAKER_NOTE, BREAKER_PASS } from "./scripts/breaker-scripts.ts";

export interface BreakerSettings {
  /** contract mismatches that suspend a route */
  readonly mismatches: number;
  /** how long a mismatch counts */
  readonly windowMs: number;
  /** how long a route stays suspended before one attempt may try it */
  readonly openMs: number;
  /** how long a probe of which nothing is heard keeps others away */
  readonly probeMs: number;
}

/** What an attempt showed of its route's contract. `unknown`: it never came to that. */
export type ContractFinding = "kept" | "broken" | "unknown";

/** Suspends a route that keeps breaking its contract; shared by all validators. */
export interface RouteBreaker {
  /** 0 where the attempt may be published, else the milliseconds to wait before it is asked again. */
  pass(route: string, attempt: string): Promise<number>;
  /** What the finding changed. The same finding of the same attempt changes nothing a second time. */
  note(route: string, attempt: string, finding: ContractFinding): Promise<"same" | "opened" | "closed">;
}

export function createRouteBreaker(redis: Redis, settings: BreakerSettings): RouteBreaker {
  return {
    async pass(route, attempt) {
      const keys = [keysOf(route).state];
      return z
        .number()
        .parse(await runScript(redis, BREAKER_PASS, { keys, args: [attempt, settings.probeMs] }));
    },
    async note(route, attempt, finding) {
      const { state, mismatches } = keysOf(route);
      const answer = await runScript(redis, BREAKER_NOTE, {
        keys: [state, mismatches],
        args: [attempt, finding, settings.mismatches, settings.windowMs, settings.openMs],
      });
      return z.enum(["same", "opened", "closed"]).parse(answer);
    },
  };
}

export interface BreakerState {
  readonly state: "closed" | "open" | "half_open";
  /** in milliseconds of Redis' clock; null while it is closed */
  readonly openUntil: number | null;
  /** those that are remembered; the oldest may not count any more */
  readonly mismatches: number;
}

/** How a breaker stands, for people. */
export async function readBreaker(redis: Redis, route: string): Promise<BreakerState> {
  const keys = keysOf(route);
  const [until, mismatches, now] = await Promise.all([
    redis.hget(keys.state, "openUntil"),
    redis.zcard(keys.mismatches),
    redisNow(redis),
  ]);
  if (until === null) return { state: "closed", openUntil: null, mismatches };
  const openUntil = Number(until);
  return { state: now < openUntil ? "open" : "half_open", openUntil, mismatches };
}

/** One hash tag, for one script. */
function keysOf(route: string): { readonly state: string; readonly mismatches: string } {
  const state = globalKeys.breaker(route);
  return { state, mismatches: `${state}:mismatches` };
}
