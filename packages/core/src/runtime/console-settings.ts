import { z } from "zod";
import { milliseconds, port, text, type Setting } from "./setting.ts";

/** `https://airlock.example` or `http://127.0.0.1:8080`: scheme, host and port as a browser writes them, and nothing behind. */
const origins = z
  .string()
  .transform((value) =>
    value
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  )
  .refine((parts) => parts.every(isOrigin), "each has to be an origin such as https://airlock.example");

/** What only the console reads. */
export const CONSOLE_SETTINGS = {
  consoleHost: {
    env: "AIRLOCK_CONSOLE_HOST",
    schema: text,
    fallback: "127.0.0.1",
    readers: ["console"],
    doc: "address of the console's pages and HTTP API",
  },
  consolePort: {
    env: "AIRLOCK_CONSOLE_PORT",
    schema: port,
    fallback: "0",
    readers: ["console"],
    doc: "port of the console's pages and HTTP API; 0 takes a free one",
  },
  apiRequestsPerMinute: {
    env: "AIRLOCK_API_REQUESTS_PER_MINUTE",
    schema: z.coerce.number().int().min(1).max(1_000_000),
    fallback: "1200",
    readers: ["console"],
    doc: "requests to the HTTP interface that one name may make of one console process in a minute; more are answered 429",
  },
  consoleOrigin: {
    env: "AIRLOCK_CONSOLE_ORIGIN",
    schema: origins,
    fallback: "",
    readers: ["console"],
    doc: "origins under which browsers reach the console, comma-separated, the first for links; any other `Host` or `Origin` is refused; empty: its own address on this machine",
  },
  users: {
    env: "AIRLOCK_USERS",
    schema: text,
    fallback: null,
    readers: ["console"],
    doc: "file with the console's users, tokens and proxy, mode 0600",
  },
  approverKeyring: {
    env: "AIRLOCK_APPROVER_KEYRING",
    schema: text,
    fallback: null,
    readers: ["console"],
    doc: "file with the keys that sign what people answer",
  },
  sessionIdleMs: {
    env: "AIRLOCK_SESSION_IDLE_MS",
    schema: milliseconds,
    fallback: "3600000",
    readers: ["console"],
    doc: "how long a session of the console may rest",
  },
  sessionMs: {
    env: "AIRLOCK_SESSION_MS",
    schema: milliseconds,
    fallback: "43200000",
    readers: ["console"],
    doc: "how long a session of the console lasts at most",
  },
  webhooks: {
    env: "AIRLOCK_WEBHOOKS",
    schema: z.string(),
    fallback: "",
    readers: ["console"],
    doc: "file with the webhooks that are told of questions and ends, mode 0600; empty for none",
  },
  webhookTimeoutMs: {
    env: "AIRLOCK_WEBHOOK_TIMEOUT_MS",
    schema: milliseconds.max(60_000),
    fallback: "5000",
    readers: ["console"],
    doc: "how long one attempt to tell a webhook may take",
  },
  webhookAttempts: {
    env: "AIRLOCK_WEBHOOK_ATTEMPTS",
    schema: z.coerce.number().int().min(1).max(30),
    fallback: "10",
    readers: ["console"],
    doc: "attempts to tell a webhook of one event before it is given up",
  },
  webhookRetryMs: {
    env: "AIRLOCK_WEBHOOK_RETRY_MS",
    schema: milliseconds.max(60_000),
    fallback: "2000",
    readers: ["console"],
    doc: "wait before the second attempt to tell a webhook; each further one waits twice as long",
  },
  approvalWarnPart: {
    env: "AIRLOCK_APPROVAL_WARN_PART",
    schema: z.coerce.number().min(0).max(1),
    fallback: "0.2",
    readers: ["console"],
    doc: "part of a question's time that is left when webhooks hear that it expires; 0 for never",
  },
} as const satisfies Record<string, Setting>;

function isOrigin(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { origin, protocol } = new URL(value);
  return origin === value && (protocol === "https:" || protocol === "http:");
}
