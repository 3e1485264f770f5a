import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorFields } from "@airlock/core/runtime";
import { exists, lockVolume } from "../workspace/index.ts";
import { sweepRemains, sweepRuns, sweepVolume, type SweepDeps } from "./sweep-volume.ts";

/** Between two looks at every run; an end wakes the sweeper for its own run. */
const LOOK_MS = 30_000;
const HELD_MS = 1_000;
/** Looks at every run between two at what is left over from gone ones. */
const LOOKS_PER_REMAINS = 20;

/** Looks after the volume until `signal` aborts. */
export interface VolumeSweeper {
  ended(run: string): void;
  readonly done: Promise<void>;
}

/** Of the executors that share a volume one sweeps at a time; the others pass, since each is woken by every end. */
export function startVolumeSweeper(deps: SweepDeps, signal: AbortSignal): VolumeSweeper {
  const waiting = new Set<string>();
  let woken = new AbortController();
  const run = async (): Promise<void> => {
    let nextLook = 0;
    for (let looks = 0; !signal.aborted;) {
      woken = new AbortController();
      const whole = performance.now() >= nextLook;
      const held = await underLock(deps, signal, async () => {
        const soon = await sweepRuns(deps, takeAll(waiting), signal);
        if (whole) await sweepVolume(deps, signal);
        if (whole && looks++ % LOOKS_PER_REMAINS === 0) await sweepRemains(deps, signal);
        return soon;
      });
      for (const each of held) waiting.add(each);
      if (whole) nextLook = performance.now() + LOOK_MS;
      const pauseMs = held.length > 0 ? HELD_MS : Math.max(0, nextLook - performance.now());
      const either = AbortSignal.any([signal, woken.signal]);
      await sleep(pauseMs, undefined, { signal: either }).catch(() => undefined);
    }
  };
  return {
    ended(id) {
      waiting.add(id);
      woken.abort();
    },
    done: run(),
  };
}

function takeAll(waiting: Set<string>): readonly string[] {
  const all = [...waiting];
  waiting.clear();
  return all;
}

async function underLock(
  deps: SweepDeps,
  signal: AbortSignal,
  work: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    if (!(await exists(deps.volume))) return [];
    const lock = await lockVolume(join(deps.volume, ".sweeper.lock"), { wait: false, signal });
    if (lock === null) return [];
    try {
      return await work();
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (!signal.aborted) {
      deps.log.write("warn", "handler_failed", { place: "volume sweep", ...errorFields(error) });
    }
    return [];
  }
}
