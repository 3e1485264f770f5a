import { setTimeout as sleep } from "node:timers/promises";
import { SERVICES } from "@airlock/core/runtime";
import type { Redis } from "@airlock/core/store";
import type { Ports } from "./ports.ts";
import { askGateway, askReady, type Readiness } from "./readiness.ts";
import type { ProcessState, Supervised } from "./supervise.ts";

export interface PartStatus {
  readonly name: string;
  readonly process: ProcessState;
  readonly readiness: Readiness;
}

const READY_POLL_MS = 150;

export async function statusOf(
  parts: readonly Supervised[],
  ports: Ports,
  redis: Redis,
): Promise<readonly PartStatus[]> {
  const asked = parts.map(async (part) => ({
    name: part.name,
    process: part.state(),
    readiness: await readinessOf(part.name, ports, redis),
  }));
  return Promise.all(asked);
}

async function readinessOf(name: string, ports: Ports, redis: Redis): Promise<Readiness> {
  if (name === "redis") return { status: redis.status === "ready" ? "ready" : "silent" };
  if (name === "gateway") return askGateway(ports.gateway);
  const service = SERVICES.find((known) => known === name);
  return service === undefined ? { status: "silent" } : askReady(ports[service]);
}

export async function untilReady(wait: {
  readonly status: () => Promise<readonly PartStatus[]>;
  readonly signal: AbortSignal;
  readonly failure: AbortSignal;
  readonly onWait: (status: readonly PartStatus[]) => void;
}): Promise<void> {
  for (;;) {
    wait.failure.throwIfAborted();
    wait.signal.throwIfAborted();
    const status = await wait.status();
    if (status.every(({ readiness }) => readiness.status === "ready")) return;
    wait.onWait(status);
    await sleep(READY_POLL_MS);
  }
}
