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
} as const satisfies Record<string, Setting>;

function isOrigin(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { origin, protocol } = new URL(value);
  return origin === value && (protocol === "https:" || protocol === "http:");
}
