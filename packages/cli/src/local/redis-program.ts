import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { aclFile, type RedisUser } from "@airlock/core/acl";
import { AirlockError } from "@airlock/core/fault";
import { redisAddress } from "@airlock/core/runtime";
import type { DataPaths } from "./data-paths.ts";
import { findProgram } from "./find-program.ts";
import { redisPasswords } from "./redis-passwords.ts";
import type { Program } from "./supervise.ts";

export const REDIS_PROGRAMS = ["redis-server", "valkey-server"] as const;

/**
 * A Redis for this machine alone: loopback, a user with a random password for each service, and nothing acknowledged that
 * isn't on the disk. Passwords stand in private files, since every user can read a command line.
 */
export function redisProgram(
  paths: DataPaths,
  place: { readonly port: number; readonly searchPath: string },
): { readonly program: Program; readonly urlOf: (user: RedisUser) => string } {
  const file = findProgram(REDIS_PROGRAMS, place.searchPath);
  if (file === null) {
    throw new AirlockError(
      "SYSTEM_PACKAGE_MISSING",
      "there is neither redis-server nor valkey-server on the PATH; install one " +
        "(Debian, Ubuntu: apt-get install redis-server), or set REDIS_URL",
    );
  }
  const passwords = redisPasswords(paths.redisPassword);
  // written anew at each start: what a user may do is this build's
  const users = aclFile(passwords, { redis72: knowsRedis72(versionOf(file)) });
  writeFileSync(paths.redisUsers, users, { mode: 0o600 });
  writeFileSync(paths.redisConfig, redisConfig(paths, place.port), { mode: 0o600 });
  return {
    program: {
      name: "redis",
      file,
      args: [paths.redisConfig],
      environment: { PATH: place.searchPath },
      log: paths.log("redis"),
    },
    urlOf: (user) => redisAddress(`redis://127.0.0.1:${place.port}`, { user, password: passwords[user] }),
  };
}

/** `Redis server v=7.0.15 …`, `Valkey server v=8.1.1 …`; where it says nothing, the least is taken. */
function versionOf(file: string): string {
  try {
    return execFileSync(file, ["--version"], { encoding: "utf8", timeout: 5_000 });
  } catch {
    return ""; // its start will tell what is wrong with it
  }
}

export function knowsRedis72(said: string): boolean {
  const [, major = 0, minor = 0] = (/\bv=(\d+)\.(\d+)/.exec(said) ?? []).map(Number);
  return major > 7 || (major === 7 && minor >= 2);
}

export function redisConfig(paths: Pick<DataPaths, "redis" | "redisUsers">, port: number): string {
  return [
    "bind 127.0.0.1",
    `port ${port}`,
    "protected-mode yes",
    `aclfile ${JSON.stringify(paths.redisUsers)}`,
    `dir ${JSON.stringify(paths.redis)}`,
    "appendonly yes",
    "appendfsync always",
    'save ""',
    "maxmemory-policy noeviction",
    "daemonize no",
    'logfile ""',
    "",
  ].join("\n");
}
