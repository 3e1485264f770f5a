// A console's address and a token in, a backend that speaks its HTTP API out; it needs neither Redis nor keys. Refuses what
// only the keys of the installation itself open.
import { randomUUID } from "node:crypto";
import { AirlockError } from "@airlock/core/fault";
import type { KillSwitch } from "@airlock/core/run";
import type {
  ApprovalEntry,
  LedgerDocument,
  PoolDocument,
  QuarantineEntry,
  RouteDocument,
  RunListEntry,
  ToolDocument,
} from "@airlock/operator/document";
import type { Backend } from "../backend.ts";
import { askConsole, type AskOptions, type Question } from "./ask-console.ts";
import { followStream, pastEvents } from "./follow-stream.ts";

export function httpBackend(options: AskOptions): Backend {
  const get = <T>(...parts: readonly string[]): Promise<T> =>
    asked(options, { method: "GET", path: pathOf(parts) });
  const find = <T>(name: string, query: Query): Promise<T> =>
    asked(options, { method: "GET", path: `/${name}${queryOf(query)}` });
  const post = <T>(body: unknown, ...parts: readonly string[]): Promise<T> =>
    asked(options, { method: "POST", path: pathOf(parts), body });
  const routes = async () => (await get<{ readonly routes: readonly RouteDocument[] }>("routes")).routes;
  return {
    submit: (spec) => submit(options, spec),
    runs: async (limit) => (await find<{ readonly runs: readonly RunListEntry[] }>("runs", { limit })).runs,
    run: (id) => get("runs", id),
    events: (id) => pastEvents(options, id),
    follow: (id, signal) => followStream(options, id, signal),
    diff: (id) => get("runs", id, "diff"),
    cancel: (id, reason) => post({ reason }, "runs", id, "cancel"),
    act: ({ kind, run, ...order }) => post(order, "runs", run, kind),
    approvals: async () =>
      (await get<{ readonly approvals: readonly ApprovalEntry[] }>("approvals")).approvals,
    approval: (itemKey) => get("approvals", itemKey),
    answer: ({ itemKey, answer, ...said }) => post(said, "approvals", itemKey, answer),
    handIn: (itemKey, record) => post({ record }, "approvals", itemKey, "answers"),
    quarantine: async (filter) =>
      (await find<{ readonly quarantine: readonly QuarantineEntry[] }>("quarantine", { ...filter }))
        .quarantine,
    quarantined: (target, { raw }) => withoutContent(raw, () => get("quarantine", target)),
    unknown: async (run) =>
      (await find<{ readonly unknown: readonly LedgerDocument[] }>("unknown", { run })).unknown,
    ledger: (itemKey, { raw }) => withoutContent(raw, () => get("calls", itemKey, "ledger")),
    resolve: ({ target, ...found }) => post(found, "calls", target, "resolve"),
    routes,
    models: async () => new Map((await routes()).map(({ name, models }) => [name, { models: [...models] }])),
    pools: async () => (await get<{ readonly pools: readonly PoolDocument[] }>("pools")).pools,
    tools: async () => (await get<{ readonly tools: readonly ToolDocument[] }>("tools")).tools,
    switches: async () => (await get<{ readonly switches: readonly KillSwitch[] }>("kill-switches")).switches,
    turnSwitch: ({ kind, ...order }) => post(order, "kill-switches", ...(kind === "kill" ? [] : ["clear"])),
    close: () => undefined,
  };
}

/** The key makes a repetition by this command one run; another command is another run. */
async function submit(options: AskOptions, spec: unknown): Promise<string> {
  const headers = { "idempotency-key": randomUUID() };
  const { id } = await asked<{ readonly id: string }>(options, {
    method: "POST",
    path: "/runs",
    body: { spec },
    headers,
  });
  return id;
}

type Query = Readonly<Record<string, string | number | null>>;

function queryOf(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return given.length === 0 ? "" : `?${given.join("&")}`;
}

function pathOf(parts: readonly string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

/** The documents are the console's own: whoever could forge them could forge what they tell as well. */
async function asked<T>(options: AskOptions, question: Question): Promise<T> {
  const response = await askConsole(options, question);
  if (!(response.headers.get("content-type") ?? "").includes("json")) {
    throw new AirlockError(
      "CONSOLE_REFUSED",
      `${options.place.url} is no Airlock console; check AIRLOCK_URL`,
    );
  }
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return (await response.json()) as T;
}

function withoutContent<T>(raw: boolean, read: () => Promise<T>): Promise<T> {
  if (!raw) return read();
  throw new AirlockError(
    "USAGE",
    "--raw opens content with the keys of the installation itself; use it there, with AIRLOCK_URL unset",
  );
}
