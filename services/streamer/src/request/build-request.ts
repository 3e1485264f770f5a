// Takes a turn's body and the run's conversation, gives the request in the family's form;
// refuses tools whose manifest is not the one that the run pinned, and a route to CometAPI without its key.
import type { ErrorClass } from "@airlock/core/fault";
import type { TurnBody } from "@airlock/core/contract";
import type { Route, RunSpec } from "@airlock/core/run";
import { manifestDigest, schemaText, type ToolCatalog } from "@airlock/core/tool";
import { ADAPTERS, samplingOf, type ConversationEntry, type EncodeTool } from "@airlock/core/wire";

export interface RouteRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RouteAccess {
  readonly route: Route;
  readonly cometapiBaseUrl: string;
  readonly apiKey: string;
  readonly stopSequences: RunSpec["stopSequences"];
}

export type BuiltRequest =
  | { readonly ok: true; readonly request: RouteRequest }
  | { readonly ok: false; readonly errorClass: ErrorClass };

/** What a route that is not CometAPI is sent in place of a key: the key is nobody else's. */
const NO_KEY = "none";

export function buildRequest(
  turn: TurnBody,
  entries: readonly ConversationEntry[],
  known: RouteAccess & { readonly catalog: ToolCatalog },
): BuiltRequest {
  const tools = pinnedTools(turn, known.catalog);
  if (tools === null) return { ok: false, errorClass: "TOOL_DRIFT" };
  const comet = known.route.baseUrl === "cometapi";
  if (comet && known.apiKey === "") return { ok: false, errorClass: "API_KEY_MISSING" };
  const { model, maxOutputTokens, parallelToolCalls } = turn;
  const adapter = ADAPTERS[known.route.family];
  const base = known.route.baseUrl === "cometapi" ? known.cometapiBaseUrl : known.route.baseUrl;
  const request = {
    url: requestUrl(base, adapter.path(model)),
    headers: {
      ...adapter.headers,
      authorization: `Bearer ${comet ? known.apiKey : NO_KEY}`,
      "content-type": "application/json",
      accept: "text/event-stream",
      "accept-encoding": "identity",
    },
    body: adapter.encode({
      model,
      entries,
      tools,
      maxOutputTokens,
      stopSequences: known.stopSequences.map(({ sequence }) => sequence),
      ...samplingOf(turn),
      parallelToolCalls,
      stream: true,
    }),
  };
  return { ok: true, request };
}

function pinnedTools(turn: TurnBody, catalog: ToolCatalog): readonly EncodeTool[] | null {
  const tools = turn.tools.flatMap(({ name, digest }): EncodeTool[] => {
    const manifest = catalog.get(name);
    if (manifest === undefined || manifestDigest(manifest) !== digest) return [];
    return [{ name, description: manifest.description, schemaText: schemaText(manifest) }];
  });
  return tools.length === turn.tools.length ? tools : null;
}

/** What a base address may end in: CometAPI's names one family's version, and every family's path begins with its own. */
const VERSIONS = /\/(?:v1|v1beta)$/;

export function requestUrl(base: string, path: string): URL {
  return new URL(`${base.replace(/\/+$/, "").replace(VERSIONS, "")}${path}`);
}
