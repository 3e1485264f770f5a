import type { JsonObject } from "@airlock/core/json";
import type { PolicyRequest, RunPlace } from "@airlock/core/policy";
import { BUILTIN_MANIFESTS, createCatalog, resourceClaims } from "@airlock/core/tool";

const catalog = createCatalog(BUILTIN_MANIFESTS);

/** What policy is asked about a call of a built-in tool. */
export function call(tool: string, args: JsonObject, place: RunPlace | null = null): PolicyRequest {
  const manifest = catalog.get(tool);
  if (manifest === undefined) throw new Error(`no tool ${tool}`);
  return { tool, effect: manifest.effect, arguments: args, claims: resourceClaims(manifest, args), place };
}
