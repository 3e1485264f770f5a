import { z } from "zod";

const text = z.string().min(1);
const list = z.string().transform((value) =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);
const milliseconds = z.coerce.number().int().min(1).max(86_400_000);
const port = z.coerce.number().int().min(0).max(65_535);

export const SERVICES = ["streamer", "validator", "executor"] as const;
export type ServiceName = (typeof SERVICES)[number];
type Reader = ServiceName | "cli" | "gateway";

interface Setting {
  readonly env: string;
  readonly schema: z.ZodType;
  /** the text that stands where the variable is not set; null: it has to be set */
  readonly fallback: string | null;
  readonly readers: readonly Reader[];
  readonly doc: string;
}

const everyService = ["streamer", "validator", "executor"] as const;

/** Every environment variable that Airlock reads. The table in README.md and docker-compose.yml are compared with it. */
export const SETTINGS = {
  redisUrl: {
    env: "REDIS_URL",
    schema: z.url({ protocol: /^rediss?$/ }),
    fallback: "redis://127.0.0.1:6379",
    readers: [...everyService, "cli"],
    doc: "where Redis is",
  },
  keyring: {
    env: "AIRLOCK_KEYRING",
    schema: text,
    fallback: null,
    readers: everyService,
    doc: "file with the keys of this service",
  },
  healthHost: {
    env: "AIRLOCK_HEALTH_HOST",
    schema: text,
    fallback: "127.0.0.1",
    readers: everyService,
    doc: "address of the health endpoints",
  },
  healthPort: {
    env: "AIRLOCK_HEALTH_PORT",
    schema: port,
    fallback: "0",
    readers: everyService,
    doc: "port of the health endpoints; 0 takes a free one",
  },
  logLevel: {
    env: "AIRLOCK_LOG_LEVEL",
    schema: z.enum(["debug", "info", "warn", "error"]),
    fallback: "info",
    readers: everyService,
    doc: "least level that is logged",
  },
  concurrency: {
    env: "AIRLOCK_CONCURRENCY",
    schema: z.coerce.number().int().min(1).max(1_000),
    fallback: "8",
    readers: everyService,
    doc: "jobs that one process takes at once",
  },
  lockMs: {
    env: "AIRLOCK_LOCK_MS",
    schema: milliseconds,
    fallback: "60000",
    readers: everyService,
    doc: "how long a silent process keeps a queue job",
  },
  stalledMs: {
    env: "AIRLOCK_STALLED_MS",
    schema: milliseconds,
    fallback: "15000",
    readers: everyService,
    doc: "how often jobs of dead processes are looked for",
  },
  drainMs: {
    env: "AIRLOCK_DRAIN_MS",
    schema: milliseconds,
    fallback: "10000",
    readers: everyService,
    doc: "how long a stopping service waits for running jobs",
  },
  routes: {
    env: "AIRLOCK_ROUTES",
    schema: text,
    fallback: "config/routes.yaml",
    readers: ["streamer", "validator", "cli"],
    doc: "file with the model routes",
  },
  policies: {
    env: "AIRLOCK_POLICIES",
    schema: text,
    fallback: "config/policies",
    readers: ["validator", "executor", "cli"],
    doc: "folder with the policy profiles",
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
    readers: ["validator", "executor"],
    doc: "pool of executors that runs are bound to",
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
  sweepMs: {
    env: "AIRLOCK_SWEEP_MS",
    schema: milliseconds,
    fallback: "1000",
    readers: ["validator"],
    doc: "how often open turns are looked at",
  },
  openMs: {
    env: "AIRLOCK_OPEN_MS",
    schema: milliseconds,
    fallback: "30000",
    readers: ["validator"],
    doc: "how long a turn may go without a sign before it is published again",
  },
  grantMs: {
    env: "AIRLOCK_GRANT_MS",
    schema: milliseconds,
    fallback: "120000",
    readers: ["validator"],
    doc: "how long a grant holds",
  },
  decisionMs: {
    env: "AIRLOCK_DECISION_MS",
    schema: milliseconds,
    fallback: "3600000",
    readers: ["validator"],
    doc: "how long a decision holds",
  },
  approvalMs: {
    env: "AIRLOCK_APPROVAL_MS",
    schema: milliseconds,
    fallback: "1800000",
    readers: ["validator"],
    doc: "how long a call waits for an approval",
  },
  retryMs: {
    env: "AIRLOCK_RETRY_MS",
    schema: milliseconds,
    fallback: "1000",
    readers: ["validator"],
    doc: "wait before the second attempt of a turn; doubles with each",
  },
  volume: {
    env: "AIRLOCK_VOLUME",
    schema: text,
    fallback: "/var/lib/airlock",
    readers: ["executor"],
    doc: "folder of mirrors and workspaces",
  },
  leaseMs: {
    env: "AIRLOCK_LEASE_MS",
    schema: milliseconds,
    fallback: "30000",
    readers: ["executor"],
    doc: "how long a silent executor keeps a call",
  },
  serviceUser: {
    env: "AIRLOCK_SERVICE_USER",
    schema: z.string().regex(/^([0-9]+:[0-9]+)?$/),
    fallback: "",
    readers: ["executor"],
    doc: "uid:gid that sandboxed commands run as where the executor is root",
  },
  toolchains: {
    env: "AIRLOCK_TOOLCHAINS",
    schema: list,
    fallback: "",
    readers: ["executor"],
    doc: "further folders with programs that sandboxes see read-only, comma-separated",
  },
  bwrap: {
    env: "AIRLOCK_BWRAP",
    schema: text,
    fallback: "/usr/bin/bwrap",
    readers: ["executor", "cli"],
    doc: "the bubblewrap program",
  },
  durability: {
    env: "AIRLOCK_DURABILITY",
    schema: z.enum(["strict", "relaxed"]),
    fallback: "strict",
    readers: ["executor"],
    doc: "`strict` refuses calls with effects where Redis may forget what it acknowledged",
  },
  data: {
    env: "AIRLOCK_DATA",
    schema: text,
    fallback: ".airlock",
    readers: ["cli"],
    doc: "folder of `airlock up`: Redis, keys, workspaces",
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
