import { setTimeout as delay } from "node:timers/promises";
import { AirlockError } from "@airlock/core/fault";
import type { Redis } from "@airlock/core/store";
import { readServerFacts, type ServerFacts } from "./server-facts.ts";

/** Whether the Redis that answers is the one that the logs were last held against. */
export interface EpochGate {
  /** Looks at the server if that was not done for a while. Null while claims are frozen. */
  enter(): Promise<Pass | null>;
  /** As of the last look; null before the first. */
  facts(): ServerFacts | null;
  /** Null where claims may be made; else what is waited for. */
  frozen(): string | null;
  /** A further connection that calls depend on. */
  add(redis: Redis): void;
}

/** Holds as long as no connection was lost: what was read or written over them since then is of one server. */
export interface Pass {
  still(): boolean;
}

/**
 * How long a look counts. The epoch changes only with a connection that is lost, and that asks for a new look by itself;
 * what can change without one is a setting that an operator sets on the running server.
 */
const LOOK_MS = 5_000;
const AGAIN_MS = 500;

export interface EpochGateDeps {
  readonly redis: Redis;
  readonly signal: AbortSignal;
  /** Resolves once the epoch's logs, of the whole pool, were held against Redis; says meanwhile what it waits for. */
  readonly sweep: (epoch: string, waiting: (detail: string) => void) => Promise<void>;
  readonly onChange: (change: "frozen" | "resumed", detail: string) => void;
  readonly onError: (error: unknown) => void;
}

export function createEpochGate(deps: EpochGateDeps): EpochGate {
  const connections: Redis[] = [];
  let generation = 0;
  let facts: ServerFacts | null = null;
  let lookedAt = -Infinity;
  let swept: string | null = null;
  let frozen: string | null = "the logs were not yet held against Redis";
  let opening: Promise<void> | null = null;

  function freeze(detail: string): void {
    if (frozen === null) deps.onChange("frozen", detail);
    frozen = detail;
  }
  async function look(): Promise<ServerFacts> {
    const [first, ...others] = await Promise.all(connections.map(readServerFacts));
    if (first === undefined || others.some(({ epoch }) => epoch !== first.epoch)) {
      throw new Error("two connections lead to two servers");
    }
    facts = first;
    lookedAt = performance.now();
    if (swept !== first.epoch) freeze("another Redis answers than before, or none did yet");
    return first;
  }
  async function lookAndSweep(): Promise<void> {
    const { epoch } = await look();
    if (swept === epoch) return;
    await deps.sweep(epoch, freeze);
    swept = epoch;
  }
  async function openAgain(): Promise<void> {
    while (!deps.signal.aborted) {
      const seen = generation;
      try {
        await lookAndSweep();
        if (seen !== generation) continue;
        if (frozen !== null) deps.onChange("resumed", "");
        frozen = null;
        return;
      } catch (error) {
        if (deps.signal.aborted) return;
        freeze(error instanceof AirlockError ? error.message : "Redis or the logs can't be looked at");
        deps.onError(error);
        await delay(AGAIN_MS, undefined, { signal: deps.signal }).catch(() => undefined);
      }
    }
  }
  function settle(): void {
    opening ??= openAgain().finally(() => {
      opening = null;
    });
  }
  function add(redis: Redis): void {
    connections.push(redis);
    redis.on("close", () => {
      generation += 1;
      freeze("Redis is away");
    });
    redis.on("ready", settle);
  }
  add(deps.redis);
  settle();
  return {
    add,
    facts: () => facts,
    frozen: () => frozen,
    async enter() {
      if (frozen === null && performance.now() - lookedAt > LOOK_MS) await look().catch(deps.onError);
      if (frozen !== null || performance.now() - lookedAt > LOOK_MS) {
        settle();
        return null;
      }
      const seen = generation;
      return { still: () => seen === generation && frozen === null };
    },
  };
}
