import { loadConfig, type Config } from "@airlock/core/runtime";

const LIMITS = ["maxMessageBytes", "maxStreamBytes", "maxArgumentBytes", "maxItems"] as const;
const NAMES = ["routes", "tools", "cometapiKey", "cometapiBaseUrl", ...LIMITS] as const;

export type ReaderLimits = Config<(typeof LIMITS)[number]>;

export type StreamerConfig = Config<(typeof NAMES)[number]>;

export function streamerConfig(): StreamerConfig {
  return loadConfig(NAMES);
}
