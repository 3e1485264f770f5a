import { loadConfig, type Config } from "@airlock/core/runtime";

const NAMES = [
  "policies",
  "approvers",
  "tools",
  "sources",
  "pool",
  "volume",
  "repositories",
  "workspaceMs",
  "leaseMs",
  "ledgerMs",
  "serviceUser",
  "toolchains",
  "sandbox",
  "allowUnsandboxed",
  "bwrap",
  "cgroup",
  "durability",
  "commitAuthor",
  "push",
  "pushCredentials",
  "barrierReplicas",
  "barrierMs",
  "writeAhead",
] as const;

export type ExecutorConfig = Config<(typeof NAMES)[number]>;

export function executorConfig(): ExecutorConfig {
  return loadConfig(NAMES);
}
