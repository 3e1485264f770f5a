import { readFileSync, writeFileSync } from "node:fs";
import { AirlockError } from "@airlock/core/fault";
import type { DataPaths } from "./data-paths.ts";
import { findProgram } from "./find-program.ts";
import type { Program } from "./supervise.ts";

export const REDIS_PROGRAMS = ["redis-server", "valkey-server"] as const;

/**
 * A Redis for this machine alone: loopback, a random password, and nothing acknowledged that isn't on the disk.
 * The password stands in a private file, since every user can read a command line.
 */
export function redisProgram(
  paths: DataPaths,
  place: { readonly port: number; readonly searchPath: string },
): { readonly program: Program; readonly url: string } {
  const file = findProgram(REDIS_PROGRAMS, place.searchPath);
  if (file === null) {
    throw new AirlockError(
      "SYSTEM_PACKAGE_MISSING",
      "there is neither redis-server nor valkey-server on the PATH; install one " +
        "(Debian, Ubuntu: apt-get install redis-server), or set REDIS_URL",
    );
  }
  const password = readFileSync(paths.redisPassword, "utf8").trim();
  writeFileSync(paths.redisConfig, redisConfig(paths.redis, place.port, password), { mode: 0o600 });
  return {
    program: {
      name: "redis",
      file,
      args: [paths.redisConfig],
      environment: { PATH: place.searchPath },
      log: paths.log("redis"),
    },
    url: `redis://:${password}@127.0.0.1:${place.port}`,
  };
}

export function redisConfig(folder: string, port: number, password: string): string {
  return [
    "bind 127.0.0.1",
    `port ${port}`,
    "protected-mode yes",
    `requirepass ${password}`,
    `dir ${JSON.stringify(folder)}`,
    "appendonly yes",
    "appendfsync always",
    'save ""',
    "maxmemory-policy noeviction",
    "daemonize no",
    'logfile ""',
    "",
  ].join("\n");
}
