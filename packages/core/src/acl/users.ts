/** Who connects to Redis as Airlock. `client` is the CLI that works on Redis itself, and `airlock up`; `metrics` looks. */
export const REDIS_USERS = ["streamer", "validator", "executor", "console", "client", "metrics"] as const;
export type RedisUser = (typeof REDIS_USERS)[number];

/** For people: everything, as an administrator of Redis needs it (`ACL LOG`, backups). No service has its password. */
export const ADMIN_USER = "admin";

/** Everybody who has a password. */
export const REDIS_LOGINS = [...REDIS_USERS, ADMIN_USER] as const;
export type RedisLogin = (typeof REDIS_LOGINS)[number];
