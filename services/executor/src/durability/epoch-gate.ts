import { setTimeout as delay } from "node:timers/promises";
import { AirlockError } from "@airlock/core/fault";
import type { Redis } from "@airlock/core/store";
import type { ServerFacts } from "./server-facts.ts";
import { createServerWatch } from "./server-watch.ts";

/** Whether the Redis that answers is the one that the logs were last held against. */
export interface EpochGate {
  /** Looks at the server if that was not done for a while. Null while claims are frozen. */
  enter(): Promise<Pass | null>;
  /** As of the last look; null before the first. */
  readonly facts: () => ServerFacts | null;
  /** Null where claims may be made; else what is waited for. */
  readonly frozen: () => string | null;
  /** A further connection that calls depend on. */
  readonly add: (redis: Redis) => void;
}

/** Holds as long as no connection was lost: what was read or written over them since then is of one server. */
export interface Pass {
  still(): boolean;
}

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
  const freeze = createFreeze(deps.onChange);
  let swept: string | null = null;
  let opening: Promise<void> | null = null;

  async function look(): Promise<string> {
    const { epoch } = await watch.look();
    if (swept !== epoch) freeze.set("another Redis answers than before, or none did yet");
    return epoch;
  }
  async function sweep(): Promise<void> {
    const losses = watch.losses();
    const epoch = await look();
    if (swept !== epoch) await deps.sweep(epoch, freeze.set);
    swept = epoch;
    if (losses === watch.losses()) freeze.end();
  }
  async function openAgain(): Promise<void> {
    while (!deps.signal.aborted) {
      try {
        await sweep();
        if (freeze.detail() === null) return;
      } catch (error) {
        if (deps.signal.aborted) return;
        freeze.set(reasonOf(error));
        deps.onError(error);
      }
      await delay(AGAIN_MS, undefined, { signal: deps.signal }).catch(() => undefined);
    }
  }
  const open = (): void => {
    opening ??= openAgain().finally(() => (opening = null));
  };
  const watch = createServerWatch({ lost: () => freeze.set("Redis is away"), ready: open });
  watch.add(deps.redis);
  open();
  return {
    add: watch.add,
    facts: watch.facts,
    frozen: freeze.detail,
    async enter() {
      if (freeze.detail() === null && watch.stale()) await look().catch(deps.onError);
      if (freeze.detail() !== null || watch.stale()) {
        open();
        return null;
      }
      const losses = watch.losses();
      return { still: () => losses === watch.losses() && freeze.detail() === null };
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof AirlockError ? error.message : "Redis or the logs can't be looked at";
}

interface Freeze {
  readonly set: (detail: string) => void;
  readonly end: () => void;
  /** Null where nothing is frozen. */
  readonly detail: () => string | null;
}

/** Frozen from the beginning. */
function createFreeze(onChange: EpochGateDeps["onChange"]): Freeze {
  let frozen: string | null = "the logs were not yet held against Redis";
  return {
    detail: () => frozen,
    set(detail) {
      if (frozen === null) onChange("frozen", detail);
      frozen = detail;
    },
    end() {
      if (frozen !== null) onChange("resumed", "");
      frozen = null;
    },
  };
}
