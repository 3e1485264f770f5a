import { z } from "zod";
import { toolCategories } from "./tool-categories.ts";
import { list, milliseconds, port, SERVICES, text, type Setting } from "./setting.ts";
import { CONSOLE_SETTINGS } from "./console-settings.ts";
import { EXECUTOR_SETTINGS } from "./executor-settings.ts";
import { STREAMER_SETTINGS } from "./streamer-settings.ts";
import { VALIDATOR_SETTINGS } from "./validator-settings.ts";

/** Every environment variable that Airlock reads. The table in README.md and docker-compose.yml are compared with it. */
export const SETTINGS = {
  redisUrl: {
    env: "REDIS_URL",
    schema: z.url({ protocol: /^rediss?$/ }),
    fallback: "redis://127.0.0.1:6379",
    readers: [...SERVICES, "cli"],
    doc: "where Redis is, and as which user: `redis://USER@HOST:PORT`",
  },
  redisPasswordFile: {
    env: "AIRLOCK_REDIS_PASSWORD_FILE",
    schema: z.string(),
    fallback: "",
    readers: [...SERVICES, "cli"],
    doc: "file with the password for REDIS_URL; empty: the one in the URL, if any",
  },
  keyring: {
    env: "AIRLOCK_KEYRING",
    schema: text,
    fallback: null,
    readers: SERVICES,
    doc: "file with the keys of this service",
  },
  healthHost: {
    env: "AIRLOCK_HEALTH_HOST",
    schema: text,
    fallback: "127.0.0.1",
    readers: SERVICES,
    doc: "address of the health endpoints",
  },
  healthPort: {
    env: "AIRLOCK_HEALTH_PORT",
    schema: port,
    fallback: "0",
    readers: SERVICES,
    doc: "port of the health endpoints; 0 takes a free one",
  },
  logLevel: {
    env: "AIRLOCK_LOG_LEVEL",
    schema: z.enum(["debug", "info", "warn", "error"]),
    fallback: "info",
    readers: SERVICES,
    doc: "least level that is logged",
  },
  toolCategories: {
    env: "AIRLOCK_TOOL_CATEGORIES",
    schema: toolCategories,
    fallback: "",
    readers: SERVICES,
    doc: "what logs call tools, as `NAME=category` pairs, comma-separated; with any, tools without one are `other`; empty for their names",
  },
  concurrency: {
    env: "AIRLOCK_CONCURRENCY",
    schema: z.coerce.number().int().min(1).max(1_000),
    fallback: "8",
    readers: SERVICES,
    doc: "jobs that one process takes at once",
  },
  lockMs: {
    env: "AIRLOCK_LOCK_MS",
    schema: milliseconds,
    fallback: "60000",
    readers: SERVICES,
    doc: "how long a silent process keeps a queue job",
  },
  stalledMs: {
    env: "AIRLOCK_STALLED_MS",
    schema: milliseconds,
    fallback: "15000",
    readers: SERVICES,
    doc: "how often jobs of dead processes are looked for",
  },
  drainMs: {
    env: "AIRLOCK_DRAIN_MS",
    schema: milliseconds,
    fallback: "10000",
    readers: SERVICES,
    doc: "how long a stopping service waits for running jobs",
  },
  routes: {
    env: "AIRLOCK_ROUTES",
    schema: text,
    fallback: "config/routes.yaml",
    readers: ["streamer", "validator", "console", "cli"],
    doc: "file with the model routes",
  },
  policies: {
    env: "AIRLOCK_POLICIES",
    schema: text,
    fallback: "config/policies",
    readers: ["validator", "executor", "cli"],
    doc: "folder with the policy profiles",
  },
  tools: {
    env: "AIRLOCK_TOOLS",
    schema: z.string(),
    fallback: "",
    readers: [...SERVICES, "cli"],
    doc: "file or folder with the operator's tools; empty for none",
  },
  approvers: {
    env: "AIRLOCK_APPROVERS",
    schema: z.string(),
    fallback: "",
    readers: ["validator", "executor", "console", "cli"],
    doc: "file with the public keys of people who sign their approvals themselves; empty for none",
  },
  sources: {
    env: "AIRLOCK_SOURCES",
    schema: list,
    fallback: "",
    readers: ["validator", "executor"],
    doc: "workspace sources that runs may name, comma-separated: a path or URL, and everything below it",
  },
  pool: {
    env: "AIRLOCK_POOL",
    schema: z.string().regex(/^[a-z0-9-]{1,32}$/),
    fallback: "default",
    readers: ["executor"],
    doc: "pool that this executor belongs to: those that share its volume",
  },
  cometapiKey: {
    env: "COMETAPI_KEY",
    schema: z.string(),
    fallback: "",
    readers: ["streamer", "cli"],
    doc: "API key of CometAPI",
  },
  cometapiBaseUrl: {
    env: "COMETAPI_BASE_URL",
    schema: z.url(),
    fallback: "https://api.cometapi.com/v1",
    readers: ["streamer", "cli"],
    doc: "base address of CometAPI",
  },
  ...STREAMER_SETTINGS,
  ...VALIDATOR_SETTINGS,
  ...EXECUTOR_SETTINGS,
  ...CONSOLE_SETTINGS,
  data: {
    env: "AIRLOCK_DATA",
    schema: text,
    fallback: ".airlock",
    readers: ["cli"],
    doc: "folder of `airlock up`: Redis, keys, workspaces",
  },
  consoleUrl: {
    env: "AIRLOCK_URL",
    schema: z.string(),
    fallback: "",
    readers: ["cli"],
    doc: "address of a console that the commands speak to; empty: Redis and the keys of this machine",
  },
  consoleToken: {
    env: "AIRLOCK_TOKEN",
    schema: z.string(),
    fallback: "",
    readers: ["cli"],
    doc: "token for AIRLOCK_URL",
  },
  consoleTokenFile: {
    env: "AIRLOCK_TOKEN_FILE",
    schema: z.string(),
    fallback: "",
    readers: ["cli"],
    doc: "file with the token for AIRLOCK_URL, in place of AIRLOCK_TOKEN",
  },
  gatewayDirectory: {
    env: "AIRLOCK_GATEWAY_DIRECTORY",
    schema: text,
    fallback: null,
    readers: ["gateway"],
    doc: "folder that the replay gateway plays",
  },
  gatewayHost: {
    env: "AIRLOCK_GATEWAY_HOST",
    schema: text,
    fallback: "127.0.0.1",
    readers: ["gateway"],
    doc: "address of the replay gateway",
  },
  gatewayMisbehave: {
    env: "AIRLOCK_GATEWAY_MISBEHAVE",
    schema: text,
    fallback: "{}",
    readers: ["gateway"],
    doc: "JSON: how the replay gateway misbehaves by default",
  },
  gatewayPort: {
    env: "AIRLOCK_GATEWAY_PORT",
    schema: port,
    fallback: "0",
    readers: ["gateway"],
    doc: "port of the replay gateway; 0 takes a free one",
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
export type SettingValue<Name extends SettingName> = z.infer<(typeof SETTINGS)[Name]["schema"]>;
