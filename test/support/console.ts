import { once } from "node:events";
import {
  createApp,
  createAudit,
  createSessions,
  hashPassword,
  newToken,
  parseUsers,
  tokenDigest,
  type Deps,
} from "@airlock/console";
import type { Keyring } from "@airlock/core/record";
import { parseRoutes } from "@airlock/core/run";
import {
  createMetrics,
  loadTools,
  SETTINGS,
  type Log,
  type LogEvent,
  type LogFields,
} from "@airlock/core/runtime";
import type { Redis } from "@airlock/core/store";

export const CONSOLE_ROLES = ["viewer", "submitter", "approver", "operator"] as const;
export type ConsoleRole = (typeof CONSOLE_ROLES)[number];

/** Further approvers, for a quorum; each user's password is `<name>-password`. */
const PEOPLE: Readonly<Record<string, readonly ConsoleRole[]>> = {
  viewer: ["viewer"],
  submitter: ["submitter"],
  approver: ["approver"],
  "approver-2": ["approver"],
  operator: ["operator"],
  everything: ["operator", "approver"],
};

export interface LogLine {
  readonly event: LogEvent;
  readonly fields: LogFields;
}

/** A browser's session, as far as requests go: its cookies, its token, its origin. */
export interface Visitor {
  readonly cookies: Readonly<Record<string, string>>;
  readonly csrf: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** a JSON body, or with a URLSearchParams a form; the token goes along in a header */
  send(method: string, path: string, body?: unknown): Promise<Response>;
}

/** A console in this process, on a port of its own. */
export interface TestConsole {
  readonly url: string;
  readonly deps: Deps;
  readonly log: readonly LogLine[];
  /** by role; each belongs to a program `ci-<role>` */
  readonly tokens: Readonly<Record<ConsoleRole, string>>;
  login(name: string): Promise<Visitor>;
  /** Asks as `ci-<role>`; an object is sent as JSON. */
  ask(role: ConsoleRole, method: string, path: string, body?: unknown): Promise<Response>;
  close(): Promise<void>;
}

export interface TestConsoleOptions {
  readonly redis: Redis;
  readonly keyrings: Readonly<Record<"console" | "approver", Keyring>>;
  /** text of a routes file */
  readonly routes?: string;
  /** YAML behind the users and tokens that every test console has */
  readonly users?: string;
  readonly config?: Partial<Deps["config"]>;
}

/** One hash for each name, made once for all tests of a file: it takes time on purpose. */
const hashes = new Map<string, Promise<string>>();

export function passwordOf(name: string): string {
  return `${name}-password`;
}

export async function startTestConsole(options: TestConsoleOptions): Promise<TestConsole> {
  const { redis, keyrings } = options;
  const tokens = {
    viewer: newToken(),
    submitter: newToken(),
    approver: newToken(),
    operator: newToken(),
  } as const;
  const users = parseUsers({ name: "users.yaml", text: await usersText(tokens, options.users ?? "") });
  const log: LogLine[] = [];
  const config = { ...defaults(), ...options.config };
  const deps: Deps = {
    config,
    redis,
    keyring: keyrings.console,
    approver: keyrings.approver,
    access: { redis, keyring: keyrings.console },
    users,
    sessions: createSessions(redis, { ...config, users }),
    audit: createAudit(redis),
    routes: parseRoutes(options.routes ?? "routes: {}", "routes.yaml"),
    catalog: loadTools("").catalog,
    log: recorded(log),
    metrics: createMetrics("console"),
  };
  const app = await createApp(deps);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const address = app.server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    deps,
    log,
    tokens,
    login: (name) => login(url, name),
    ask: (role, method, path, body) =>
      fetch(`${url}${path}`, {
        method,
        redirect: "manual",
        headers: {
          authorization: `Bearer ${tokens[role]}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async close() {
      const closed = once(app.server, "close");
      app.server.closeAllConnections();
      await app.close();
      await closed;
    },
  };
}

async function usersText(tokens: Readonly<Record<ConsoleRole, string>>, more: string): Promise<string> {
  const users = Object.entries(PEOPLE).map(async ([name, roles]) => {
    const hash = hashes.get(name) ?? hashPassword(passwordOf(name));
    hashes.set(name, hash);
    return `  - { name: ${name}, roles: [${roles.join(", ")}], password: "${await hash}" }`;
  });
  const programs = CONSOLE_ROLES.map(
    (role) => `  - { name: ci-${role}, roles: [${role}], sha256: "${tokenDigest(tokens[role])}" }`,
  );
  return ["users:", ...(await Promise.all(users)), "tokens:", ...programs, more].join("\n");
}

function defaults(): Deps["config"] {
  return {
    consoleHost: "127.0.0.1",
    consolePort: 0,
    consoleOrigin: [],
    apiRequestsPerMinute: Number(SETTINGS.apiRequestsPerMinute.fallback),
    users: "users.yaml",
    approverKeyring: "approver.json",
    approvers: "",
    sessionIdleMs: Number(SETTINGS.sessionIdleMs.fallback),
    sessionMs: Number(SETTINGS.sessionMs.fallback),
    webhooks: "",
    webhookTimeoutMs: Number(SETTINGS.webhookTimeoutMs.fallback),
    webhookAttempts: Number(SETTINGS.webhookAttempts.fallback),
    webhookRetryMs: Number(SETTINGS.webhookRetryMs.fallback),
    approvalWarnPart: Number(SETTINGS.approvalWarnPart.fallback),
    routes: "routes.yaml",
    tools: "",
  };
}

function recorded(lines: LogLine[]): Log {
  return {
    write: (_level, event, fields = {}) => void lines.push({ event, fields }),
    decision: () => undefined,
  };
}

async function login(url: string, name: string): Promise<Visitor> {
  const answer = await fetch(`${url}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: url },
    body: new URLSearchParams({ name, password: passwordOf(name) }),
  });
  if (answer.status !== 303) throw new Error(`the login of ${name} was answered ${answer.status}`);
  const cookies = cookiesOf(answer);
  const csrf = cookies["XSRF-TOKEN"] ?? "";
  const cookie = Object.entries(cookies)
    .map(([key, value]) => `${key}=${value}`)
    .join("; ");
  return {
    cookies,
    csrf,
    get: (path, headers = {}) =>
      fetch(`${url}${path}`, { redirect: "manual", headers: { accept: "text/html", ...headers, cookie } }),
    send: (method, path, body) => {
      const form = body instanceof URLSearchParams;
      const json = body !== undefined && !form;
      return fetch(`${url}${path}`, {
        method,
        redirect: "manual",
        headers: {
          cookie,
          origin: url,
          "x-csrf-token": csrf,
          ...(json ? { "content-type": "application/json" } : {}),
        },
        ...(form ? { body } : {}),
        ...(json ? { body: JSON.stringify(body) } : {}),
      });
    },
  };
}

export function cookiesOf(answer: Response): Readonly<Record<string, string>> {
  return Object.fromEntries(
    answer.headers.getSetCookie().map((line) => {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1)] as const;
    }),
  );
}
