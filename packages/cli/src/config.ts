import { loadConfig, type Config } from "@airlock/core/runtime";

export type Environment = Readonly<Record<string, string | undefined>>;

const NAMES = [
  "redisUrl",
  "redisPasswordFile",
  "routes",
  "policies",
  "approvers",
  "tools",
  "repositories",
  "cometapiKey",
  "cometapiBaseUrl",
  "bwrap",
  "data",
  "consoleUrl",
  "consoleToken",
  "consoleTokenFile",
  "durability",
  "barrierReplicas",
] as const;
export type CliConfig = Config<(typeof NAMES)[number]>;

/** The environment as it was handed to the command; nobody else reads it. */
export function processEnvironment(): Environment {
  return { ...process.env };
}

export function cliConfig(environment: Environment): CliConfig {
  return loadConfig(NAMES, environment);
}
