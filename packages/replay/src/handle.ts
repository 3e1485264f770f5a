/** In comes an HTTP request, out goes a fixture, the list of cases, or an error that says what is wrong with it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody } from "./body.ts";
import { modelOfCase, selectFixture, type Attempts, type Library } from "./fixture/index.ts";
import { familyOf, openaiError, type GatewayFamily } from "./family/index.ts";
import { playFixture } from "./play/index.ts";
import { accept, errorFields, firstRefusal, refuse, type Checked, type Refusal } from "./refusal.ts";
import { checkAuthorization, checkBodyHeaders } from "./request/index.ts";

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
  readonly beforeEnd: (played: PlayedRequest) => Promise<void>;
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

const MODELS_PATH = "/v1/models";

export async function handleExchange(deps: HandlerDeps, exchange: Exchange): Promise<void> {
  const outcome = await route(deps, exchange);
  if (outcome.ok) return;
  deps.onRefused(outcome.refusal);
  answerRefusal(exchange, outcome.refusal);
}

/** In the form of the family whose path it is, and in OpenAI's for every other path. */
export function answerRefusal(
  exchange: Pick<Exchange, "request" | "response" | "requestId">,
  refusal: Refusal,
): void {
  const errorBody = familyOf(pathOf(exchange.request))?.errorBody ?? openaiError;
  const fields = errorFields(refusal);
  sendJson(exchange, fields.status, errorBody(fields, exchange.requestId));
}

async function route(deps: HandlerDeps, exchange: Exchange): Promise<Checked<null>> {
  const path = pathOf(exchange.request);
  const method = exchange.request.method ?? "";
  const family = familyOf(path);
  if (family === null && path !== MODELS_PATH) {
    return refuse("unknown_url", `invalid URL (${method} ${path})`);
  }
  const wanted = family === null ? "GET" : "POST";
  if (method !== wanted) return refuse("method_not_allowed", `${path} takes ${wanted}`);
  const { headers } = exchange.request;
  const authorized = checkAuthorization(headers, deps.apiKeys, family?.keyHeader ?? null);
  if (!authorized.ok) return authorized;
  return family === null ? listModels(deps, exchange) : playAnswer(deps, exchange, family);
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
  return accept(null);
}

async function playAnswer(
  deps: HandlerDeps,
  exchange: Exchange,
  family: GatewayFamily,
): Promise<Checked<null>> {
  const { request, response, requestId, signal } = exchange;
  const headers = firstRefusal(
    () => checkBodyHeaders(request.headers),
    () => family.checkHeaders(request.headers),
  );
  if (headers !== null) return headers;
  const body = await readBody(request);
  if (!body.ok) return body;
  const parsed = family.parse(body.value, request.url ?? "");
  if (!parsed.ok) return parsed;
  const selected = await selectFixture(deps, family, parsed.value);
  if (!selected.ok) return selected;
  const { fixture, ...selection } = selected.value;
  const { model, mode } = parsed.value;
  const played = { path: pathOf(request), model, ...selection };
  deps.onPlayed(played);
  const beforeEnd = (): Promise<void> => deps.beforeEnd(played);
  await playFixture(fixture, response, {
    requestId,
    signal,
    mode,
    errorBody: family.errorBody,
    beforeEnd,
  });
  return accept(null);
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "").replace(/\?.*$/su, "");
}

function sendJson(exchange: Pick<Exchange, "response" | "requestId">, status: number, body: string): void {
  const headers = { "content-type": "application/json", "x-request-id": exchange.requestId };
  exchange.response.writeHead(status, headers).end(body);
}
