import path from "node:path";
import type { RedisLogin } from "@airlock/core/acl";
import type { Role } from "@airlock/core/record";
import type { Environment } from "../config.ts";

/** Where everything of one `airlock up` lies. */
export interface DataPaths {
  readonly data: string;
  readonly keys: string;
  readonly keyring: (role: Role) => string;
  readonly redis: string;
  readonly redisPassword: (login: RedisLogin) => string;
  readonly redisUsers: string;
  readonly redisConfig: string;
  /** of the console of this machine: who may use it, and the secrets of the two entries that are made with it */
  readonly users: string;
  readonly consolePassword: string;
  readonly consoleToken: string;
  readonly logs: string;
  readonly log: (name: string) => string;
  /** mirrors and workspaces; a run's files are in `<volume>/<run>/tree` */
  readonly volume: string;
  readonly routes: string;
  readonly record: string;
}

export function dataPaths(data: string): DataPaths {
  const inside = (...parts: readonly string[]): string => path.join(data, ...parts);
  return {
    data,
    keys: inside("keys"),
    keyring: (role) => inside("keys", `${role}.json`),
    redis: inside("redis"),
    redisPassword: (login) => inside("keys", `redis-${login}-password`),
    redisUsers: inside("keys", "redis-users.acl"),
    redisConfig: inside("keys", "redis.conf"),
    users: inside("keys", "users.yaml"),
    consolePassword: inside("keys", "console-password"),
    consoleToken: inside("keys", "console-token"),
    logs: inside("logs"),
    log: (name) => inside("logs", `${name}.log`),
    volume: inside("volume"),
    routes: inside("routes.yaml"),
    record: inside("up.json"),
  };
}

/** Where mirrors and workspaces lie: AIRLOCK_VOLUME, or a folder of the data. */
export function volumeOf(
  { volume }: DataPaths,
  { environment, folder }: { readonly environment: Environment; readonly folder: string },
): string {
  return path.resolve(folder, environment["AIRLOCK_VOLUME"] ?? volume);
}
