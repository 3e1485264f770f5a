import { loadConfig, type Config } from "@airlock/core/runtime";

const NAMES = [
  "consoleHost",
  "consolePort",
  "consoleOrigin",
  "apiRequestsPerMinute",
  "users",
  "approverKeyring",
  "approvers",
  "sessionIdleMs",
  "sessionMs",
  "webhooks",
  "webhookTimeoutMs",
  "webhookAttempts",
  "webhookRetryMs",
  "approvalWarnPart",
  "routes",
  "tools",
] as const;

export type ConsoleConfig = Config<(typeof NAMES)[number]>;

export function consoleConfig(): ConsoleConfig {
  return loadConfig(NAMES);
}
