// A console's address and a token in, a backend that speaks its HTTP interface out; it needs neither Redis nor keys. Refuses
// what only the keys of the installation itself open.
import { randomUUID } from "node:crypto";
import {
  createAirlockClient,
  type AirlockClient,
  FollowRefused,
  followRun,
  type ClientOptions,
  type paths,
  type StreamedEvent,
} from "@airlock/client";
import { AirlockError } from "@airlock/core/fault";
import type { RunSpec } from "@airlock/core/run";
import { runEventSchema } from "@airlock/core/contract";
import { walkPages, type PageQuery } from "@airlock/operator/document";
import type { TimedEvent } from "@airlock/operator/follow";
import type { AnswerResult } from "@airlock/operator/order";
import type { Backend } from "../backend.ts";
import { patientFetch, type AskOptions } from "./patient-fetch.ts";
import { documentOf, problemCode, refusalOf, type Reply } from "./refusal.ts";

/** The most that one page of a list holds. */
const PAGE = 200;

export function httpBackend(options: AskOptions): Backend {
  const to: Console = { ...options.place, fetch: patientFetch(options) };
  const client = createAirlockClient(to);
  return {
    remote: true,
    ...runsOver(to, client),
    ...approvalsOver(to, client),
    ...refusalsOver(to, client),
    ...installationOver(to, client),
    close: () => undefined,
  };
}

type Console = ClientOptions;
type Part<Name extends keyof Backend> = Pick<Backend, Name>;

function runsOver(
  to: Console,
  client: AirlockClient,
): Part<"submit" | "runs" | "run" | "events" | "follow" | "diff" | "cancel" | "act"> {
  const { url } = to;
  return {
    async submit({ contract, ...spec }) {
      if (contract !== undefined)
        throw new AirlockError("USAGE", "a contract scenario is played beside the keys");
      // a repetition by this command is one run; another command is another run
      const params = { header: { "idempotency-key": randomUUID() } };
      return (await documentOf(url, client.POST("/runs", { params, body: { spec: sent(spec) } }))).id;
    },
    runs: (limit) =>
      walkPages({ limit, size: PAGE }, async (at) => {
        const { runs, next } = await documentOf(url, client.GET("/runs", { params: { query: queryOf(at) } }));
        return { entries: runs, next };
      }),
    run: (id) => documentOf(url, client.GET("/runs/{run}", runPath(id))),
    async events(id) {
      const events: TimedEvent[] = [];
      const following = { run: id, follow: false, signal: new AbortController().signal };
      for await (const event of known(told(url, followRun(to, following)))) events.push(event);
      return events;
    },
    follow: (id, signal) => known(told(url, followRun(to, { run: id, signal }))),
    diff: (id) => documentOf(url, client.GET("/runs/{run}/diff", runPath(id))),
    cancel: (id, reason) =>
      documentOf(url, client.POST("/runs/{run}/cancel", { ...runPath(id), body: { reason } })),
    act({ kind, run: id, target, reason, raise }) {
      if (kind === "abandon") {
        return documentOf(
          url,
          client.POST("/runs/{run}/abandon", { ...runPath(id), body: { target, reason } }),
        );
      }
      return documentOf(
        url,
        client.POST("/runs/{run}/requeue", { ...runPath(id), body: { target, reason, raise } }),
      );
    },
  };
}

function approvalsOver(
  { url }: Console,
  client: AirlockClient,
): Part<"approvals" | "approval" | "answer" | "handIn"> {
  return {
    approvals: (limit) =>
      walkPages({ limit, size: PAGE }, async (at) => {
        const page = await documentOf(url, client.GET("/approvals", { params: { query: queryOf(at) } }));
        return { entries: page.approvals, next: page.next };
      }),
    approval: (itemKey) => documentOf(url, client.GET("/approvals/{item}", itemPath(itemKey))),
    answer({ itemKey, answer, reason, nonce }) {
      const path = `/approvals/{item}/${answer}` as const;
      return answered(url, client.POST(path, { ...itemPath(itemKey), body: { reason, nonce } }));
    },
    handIn: (itemKey, record) =>
      answered(url, client.POST("/approvals/{item}/answers", { ...itemPath(itemKey), body: { record } })),
  };
}

function refusalsOver(
  { url }: Console,
  client: AirlockClient,
): Part<"quarantine" | "quarantined" | "unknown" | "ledger" | "resolve"> {
  return {
    quarantine: ({ run: id, errorClass, state, limit }) =>
      walkPages({ limit, size: PAGE }, (at) => {
        const query = {
          ...queryOf(at),
          ...(id === null ? {} : { run: id }),
          ...(errorClass === null ? {} : { errorClass }),
          ...(state === null ? {} : { state }),
        };
        return documentOf(url, client.GET("/quarantine", { params: { query } }));
      }),
    quarantined: (target, { raw }) =>
      withoutContent(raw, () =>
        documentOf(url, client.GET("/quarantine/{target}", { params: { path: { target } } })),
      ),
    unknown: (id) =>
      walkPages({ limit: Infinity, size: PAGE }, async (at) => {
        const query = { ...queryOf(at), ...(id === null ? {} : { run: id }) };
        const page = await documentOf(url, client.GET("/unknown", { params: { query } }));
        return { entries: page.calls, next: page.next };
      }),
    ledger: (itemKey, { raw }) =>
      withoutContent(raw, () => documentOf(url, client.GET("/calls/{item}/ledger", itemPath(itemKey)))),
    resolve: ({ target, finding, reason }) =>
      documentOf(
        url,
        client.POST("/calls/{item}/resolve", { ...itemPath(target), body: { finding, reason } }),
      ),
  };
}

function installationOver(
  { url }: Console,
  client: AirlockClient,
): Part<"routes" | "models" | "pools" | "decisions" | "tools" | "switches" | "turnSwitch"> {
  const routes = async () => (await documentOf(url, client.GET("/routes"))).routes;
  return {
    routes,
    models: async () => new Map((await routes()).map(({ name, models }) => [name, { models: [...models] }])),
    pools: async () => (await documentOf(url, client.GET("/pools"))).pools,
    decisions: async (query) =>
      (await documentOf(url, client.GET("/decisions", { params: { query } }))).decisions,
    tools: async () => (await documentOf(url, client.GET("/tools"))).tools,
    switches: async () => (await documentOf(url, client.GET("/kill-switches"))).switches,
    turnSwitch: ({ kind, ...body }) =>
      documentOf(url, client.POST(kind === "kill" ? "/kill-switches" : "/kill-switches/clear", { body })),
  };
}

function queryOf({ cursor, limit }: PageQuery): { readonly limit: number; readonly cursor?: string } {
  return cursor === null ? { limit } : { limit, cursor };
}

function runPath(id: string) {
  return { params: { path: { run: id } } };
}

function itemPath(itemKey: string) {
  return { params: { path: { item: itemKey } } };
}

/** What the console answers to an answer that it did not take. */
const UNTAKEN: Readonly<Record<string, Exclude<AnswerResult["kind"], "stored">>> = {
  ANSWER_CONFLICT: "conflict",
  ANSWER_EXPIRED: "expired",
  ANSWER_OWN_RUN: "requester",
  ANSWER_GONE: "gone",
};

async function answered(
  url: string,
  reply: Promise<Reply<Extract<AnswerResult, { kind: "stored" }>>>,
): Promise<AnswerResult> {
  const { data, error, response } = await reply;
  const kind = UNTAKEN[problemCode(error) ?? ""];
  if (kind !== undefined) return { kind };
  return documentOf(url, Promise.resolve({ data, error, response }));
}

/** A refusal of the stream itself becomes the error that a person can do something about. */
async function* told<T>(url: string, events: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  try {
    yield* events;
  } catch (error) {
    throw error instanceof FollowRefused ? refusalOf(url, error.status, error.problem) : error;
  }
}

/** Those of a newer console are left out. */
async function* known(events: AsyncIterable<StreamedEvent>): AsyncGenerator<TimedEvent, void> {
  for await (const { at, event: given } of events) {
    const event = runEventSchema.safeParse(given);
    if (event.success) yield { at, event: event.data };
  }
}

type SentSpec = paths["/runs"]["post"]["requestBody"]["content"]["application/json"]["spec"];

/** As JSON says it: without what is left out. */
function sent(spec: Omit<RunSpec, "contract">): SentSpec {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both types come from one schema
  return JSON.parse(JSON.stringify(spec)) as SentSpec;
}

function withoutContent<T>(raw: boolean, read: () => Promise<T>): Promise<T> {
  if (!raw) return read();
  throw new AirlockError(
    "USAGE",
    "--raw opens content with the keys of the installation itself; use it there, with AIRLOCK_URL unset",
  );
}
