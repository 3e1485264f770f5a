import type { BreakerSettings } from "@airlock/core/run";
import { loadConfig, type Config } from "@airlock/core/runtime";

const NAMES = [
  "routes",
  "policies",
  "approvers",
  "tools",
  "sources",
  "pools",
  "poolLostMs",
  "sweepMs",
  "openMs",
  "grantMs",
  "decisionMs",
  "approvalMs",
  "retryMs",
  "breakerMismatches",
  "breakerWindowMs",
  "breakerOpenMs",
  "rawMs",
  "runMs",
  "metricsRedisUrl",
  "correlationKey",
] as const;

export type ValidatorConfig = Config<(typeof NAMES)[number]>;

export function validatorConfig(): ValidatorConfig {
  return loadConfig(NAMES);
}

/** A probe that streams is published again each `openMs`, and that keeps its place. */
export function breakerSettings(config: ValidatorConfig): BreakerSettings {
  const { breakerMismatches: mismatches, breakerWindowMs: windowMs, breakerOpenMs, openMs } = config;
  return { mismatches, windowMs, openMs: breakerOpenMs, probeMs: Math.max(breakerOpenMs, openMs * 2) };
}
