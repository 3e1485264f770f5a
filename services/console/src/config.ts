import { loadConfig, type Config } from "@airlock/core/runtime";

const NAMES = [
  "consoleHost",
  "consolePort",
  "consoleOrigin",
  "users",
  "approverKeyring",
  "sessionIdleMs",
  "sessionMs",
  "routes",
  "tools",
] as const;

export type ConsoleConfig = Config<(typeof NAMES)[number]>;

export function consoleConfig(): ConsoleConfig {
  return loadConfig(NAMES);
}
