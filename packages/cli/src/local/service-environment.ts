import { namesOf } from "@airlock/core/fault";
import { SETTINGS, type ServiceName, type SettingName } from "@airlock/core/runtime";
import type { Environment } from "../config.ts";

type Started = ServiceName | "gateway";

/**
 * The whole environment of a service: the settings that it reads, and PATH. What is `given` comes first, then what
 * the parent has; nothing else of the parent's is handed on, so only the streamer ever sees the API key.
 */
export function serviceEnvironment(
  service: Started,
  given: Readonly<Partial<Record<SettingName, string>>>,
  parent: Environment,
): Readonly<Record<string, string>> {
  const entries = namesOf(SETTINGS).flatMap((name): readonly (readonly [string, string])[] => {
    const { env, readers } = SETTINGS[name];
    const value = given[name] ?? parent[env];
    const reads = readers.some((reader) => reader === service);
    return reads && value !== undefined ? [[env, value]] : [];
  });
  return { PATH: parent["PATH"] ?? "", ...Object.fromEntries(entries) };
}
