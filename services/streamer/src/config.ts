import { loadConfig, type Config } from "@airlock/core/runtime";

const NAMES = ["routes", "tools", "cometapiKey", "cometapiBaseUrl"] as const;

export type StreamerConfig = Config<(typeof NAMES)[number]>;

export function streamerConfig(): StreamerConfig {
  return loadConfig(NAMES);
}
