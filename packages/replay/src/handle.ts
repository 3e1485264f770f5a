/** In comes an HTTP request, out goes a fixture, the list of cases, or an error that says what is wrong with it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody } from "./body.ts";
import { modelOfCase, selectFixture, type Attempts, type Library } from "./fixture/index.ts";
import { playFixture } from "./play/index.ts";
import { errorBody, errorFields, refuse, REFUSALS, type Checked, type Refusal } from "./refusal.ts";
import { checkAuthorization, checkBodyHeaders, parseResponsesRequest } from "./request/index.ts";

/** One answered model request, in the order of arrival. */
export interface PlayedRequest {
  readonly path: string;
  readonly model: string;
  readonly case: string;
  readonly turn: number;
  readonly attempt: number;
}

export interface HandlerDeps {
  readonly library: Library;
  readonly attempts: Attempts;
  readonly apiKeys: readonly string[] | null;
  readonly onPlayed: (played: PlayedRequest) => void;
  readonly onRefused: (refusal: Refusal) => void;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Aborts when the connection is closed, by either side. */
  readonly signal: AbortSignal;
}

type Handler = (deps: HandlerDeps, exchange: Exchange) => Promise<Checked<null>>;

const HANDLERS: ReadonlyMap<string, { readonly method: string; readonly handle: Handler }> = new Map([
  ["/v1/models", { method: "GET", handle: listModels }],
  ["/v1/responses", { method: "POST", handle: playResponse }],
]);

/** Paths of the other wire families, which the gateway knows and does not play. */
const UNPLAYED_PATHS = [
  /^\/v1\/chat\/completions$/u,
  /^\/v1\/messages$/u,
  /^\/v1beta\/models\/[^/]+:(?:generateContent|streamGenerateContent)$/u,
] as const;

export async function handleExchange(deps: HandlerDeps, exchange: Exchange): Promise<void> {
  const outcome = await route(deps, exchange);
  if (outcome.ok) return;
  deps.onRefused(outcome.refusal);
  answerRefusal(exchange, outcome.refusal);
}

export function answerRefusal(exchange: Pick<Exchange, "response" | "requestId">, refusal: Refusal): void {
  const body = errorBody(errorFields(refusal), exchange.requestId);
  sendJson(exchange, REFUSALS[refusal.code].status, body);
}

async function route(deps: HandlerDeps, exchange: Exchange): Promise<Checked<null>> {
  const path = pathOf(exchange.request);
  const method = exchange.request.method ?? "";
  if (UNPLAYED_PATHS.some((pattern) => pattern.test(path))) {
    return refuse("unknown_url", `the replay gateway does not play ${path} yet`);
  }
  const entry = HANDLERS.get(path);
  if (entry === undefined) return refuse("unknown_url", `invalid URL (${method} ${path})`);
  if (entry.method !== method) return refuse("method_not_allowed", `${path} takes ${entry.method}`);
  const authorized = checkAuthorization(exchange.request.headers, deps.apiKeys);
  return authorized.ok ? entry.handle(deps, exchange) : authorized;
}

async function listModels(deps: HandlerDeps, exchange: Exchange): Promise<Checked<null>> {
  const cases = await deps.library.cases();
  const data = cases.map((name) => ({
    id: modelOfCase(name),
    object: "model",
    created: 0,
    owned_by: "replay",
  }));
  sendJson(exchange, 200, JSON.stringify({ object: "list", data }));
  return { ok: true, value: null };
}

async function playResponse(deps: HandlerDeps, exchange: Exchange): Promise<Checked<null>> {
  const headers = checkBodyHeaders(exchange.request.headers);
  if (!headers.ok) return headers;
  const body = await readBody(exchange.request);
  if (!body.ok) return body;
  const parsed = parseResponsesRequest(body.value);
  if (!parsed.ok) return parsed;
  const selected = await selectFixture(deps.library, deps.attempts, parsed.value);
  if (!selected.ok) return selected;
  const { fixture, ...selection } = selected.value;
  deps.onPlayed({ path: pathOf(exchange.request), model: parsed.value.model, ...selection });
  await playFixture(fixture, exchange.response, exchange);
  return { ok: true, value: null };
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "").replace(/\?.*$/su, "");
}

function sendJson(exchange: Pick<Exchange, "response" | "requestId">, status: number, body: string): void {
  const headers = { "content-type": "application/json", "x-request-id": exchange.requestId };
  exchange.response.writeHead(status, headers).end(body);
}
