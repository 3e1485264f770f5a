import { loadConfig, type Config } from "@airlock/core/runtime";

const NAMES = [
  "routes",
  "policies",
  "sources",
  "pool",
  "sweepMs",
  "openMs",
  "grantMs",
  "decisionMs",
  "approvalMs",
  "retryMs",
] as const;

export type ValidatorConfig = Config<(typeof NAMES)[number]>;

export function validatorConfig(): ValidatorConfig {
  return loadConfig(NAMES);
}
