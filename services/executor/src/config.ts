import { loadConfig, type Config } from "@airlock/core/runtime";

const NAMES = [
  "policies",
  "tools",
  "sources",
  "pool",
  "volume",
  "leaseMs",
  "ledgerMs",
  "serviceUser",
  "toolchains",
  "bwrap",
  "durability",
  "barrierReplicas",
  "barrierMs",
  "writeAhead",
] as const;

export type ExecutorConfig = Config<(typeof NAMES)[number]>;

export function executorConfig(): ExecutorConfig {
  return loadConfig(NAMES);
}
