import { realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { SETTINGS, type ServiceName, type SettingName } from "@airlock/core/runtime";
import type { Environment } from "../config.ts";
import type { DataPaths } from "./data-paths.ts";
import { serviceEnvironment } from "./service-environment.ts";
import type { Program } from "./supervise.ts";

/** Each by its package's name; resolved only when it is started. */
const SERVICE_ENTRIES = {
  streamer: () => import.meta.resolve("@airlock/streamer/main"),
  validator: () => import.meta.resolve("@airlock/validator/main"),
  executor: () => import.meta.resolve("@airlock/executor/main"),
  console: () => import.meta.resolve("@airlock/console/main"),
} as const satisfies Record<ServiceName, () => string>;

export function serviceProgram(
  service: ServiceName,
  given: Readonly<Partial<Record<SettingName, string>>>,
  place: { readonly paths: DataPaths; readonly parent: Environment },
): Program {
  return {
    name: service,
    ...nodeProgram(SERVICE_ENTRIES[service]()),
    environment: serviceEnvironment(service, given, place.parent),
    log: place.paths.log(service),
  };
}

export function gatewayProgram(
  gateway: { readonly folder: string; readonly port: number },
  place: { readonly paths: DataPaths; readonly parent: Environment },
): Program {
  return {
    name: "gateway",
    ...nodeProgram(import.meta.resolve("@airlock/replay/main")),
    environment: serviceEnvironment(
      "gateway",
      { gatewayDirectory: gateway.folder, gatewayPort: String(gateway.port) },
      place.parent,
    ),
    log: place.paths.log("gateway"),
  };
}

/** How to start a package's entry: from source it needs the loader that this process was started with. */
function nodeProgram(entry: string): { readonly file: string; readonly args: readonly string[] } {
  const file = fileURLToPath(entry);
  const source = file.endsWith(".ts");
  const loader = source ? ["--conditions=source", "--import", import.meta.resolve("tsx")] : [];
  return { file: process.execPath, args: [...loader, file] };
}

/** What sandboxes see besides /usr: AIRLOCK_TOOLCHAINS, or where that is not set what this Node.js needs. */
export function toolchainsOf(environment: Environment): readonly string[] {
  const set = environment["AIRLOCK_TOOLCHAINS"];
  return set === undefined ? (nodeToolchain() ?? []) : SETTINGS.toolchains.schema.parse(set);
}

/** Sandboxes see /usr; a Node.js that lies elsewhere has to be shown to them, for `node --test`. */
function nodeToolchain(): readonly [string] | null {
  const prefix = path.dirname(path.dirname(realpathSync(process.execPath)));
  return prefix === "/usr" || prefix.startsWith("/usr/") ? null : [prefix];
}
