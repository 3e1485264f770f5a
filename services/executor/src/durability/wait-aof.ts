import { setImmediate } from "node:timers/promises";
import type { Redis } from "@airlock/core/store";
import { z } from "zod";

/** Waits until every write of the connection so far is on the server's disk, and on those of replicas. */
export type WaitAof = (replicas: number, timeoutMs: number) => Promise<boolean>;

const counts = z.tuple([z.coerce.number(), z.coerce.number()]);

/**
 * False where it took too long. A connection waits for one answer at a time, so calls that began together share one:
 * whoever asks while none was sent yet joins it.
 */
export function createWaitAof(redis: Redis): WaitAof {
  let next: Promise<boolean> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  async function ask(after: Promise<unknown>, replicas: number, timeoutMs: number): Promise<boolean> {
    await after.catch(() => undefined);
    await setImmediate(); // the other answers that came with the same packet
    next = null;
    const [own, others] = counts.parse(await redis.call("WAITAOF", 1, replicas, timeoutMs));
    return own >= 1 && others >= replicas;
  }
  return (replicas, timeoutMs) => {
    if (next !== null) return next;
    next = ask(last, replicas, timeoutMs);
    last = next;
    return next;
  };
}
