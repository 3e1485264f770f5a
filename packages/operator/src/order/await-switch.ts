import { setTimeout as sleep } from "node:timers/promises";
import { readKillSwitches } from "@airlock/core/run";
import type { Redis } from "@airlock/core/store";

const LOOK_AGAIN_MS = 100;

/** True once the switch stands as the order asks: set by this very order, or cleared. */
export async function awaitSwitch(
  redis: Redis,
  order: {
    readonly kind: "kill" | "unkill";
    readonly target: string;
    readonly id: string;
    readonly timeoutMs: number;
  },
): Promise<boolean> {
  const { kind, target, id, timeoutMs } = order;
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const found = (await readKillSwitches(redis)).find((each) => each.target === target);
    if (kind === "kill" ? found?.id === id : found === undefined) return true;
    await sleep(LOOK_AGAIN_MS);
  }
  return false;
}
