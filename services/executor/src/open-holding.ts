// Takes the settings, gives what calls are held by: the ledger, this executor's own log beside it, and the leases.
import path from "node:path";
import { createEffectKeys, createLedger } from "@airlock/core/ledger";
import { errorFields, type ServiceContext } from "@airlock/core/runtime";
import type { ExecutorConfig } from "./config.ts";
import type { Deps } from "./deps.ts";
import { countedLedger } from "./counted-ledger.ts";
import { openDurability } from "./durability/index.ts";
import { openLeases } from "./lease/index.ts";

export type Holding = Pick<Deps, "ledger" | "effects" | "durability" | "leases">;

/** Throws where the log can't be opened: an executor without one could begin nothing. */
export async function openHolding(
  { config: shared, redis, keyring, log, metrics, signal }: ServiceContext,
  config: ExecutorConfig,
  owner: string,
): Promise<Holding> {
  const { pool, leaseMs, barrierMs, durability: mode, barrierReplicas: replicas } = config;
  const ledger = countedLedger(createLedger(redis, config.ledgerMs), metrics);
  const folder = config.writeAhead === "" ? path.join(config.volume, "write-ahead") : config.writeAhead;
  const onLost = (): void => metrics.count("airlock_fence_rejections_total", { operation: "renew" });
  const onFailure = (error: unknown): void => log.write("error", "leases_failed", errorFields(error));
  return {
    ledger,
    effects: createEffectKeys(redis, ledger, config.ledgerMs),
    durability: await openDurability(
      { redis, keyring, log, signal, ledger, owner, pool, leaseMs },
      { mode, replicas, barrierMs, folder, keepMs: config.ledgerMs },
    ),
    leases: await openLeases({ ledger, owner, leaseMs, redisUrl: shared.redisUrl, onFailure, onLost }),
  };
}
