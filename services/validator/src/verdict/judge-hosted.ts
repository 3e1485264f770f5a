// Takes a hosted tool's request for approval, gives policy's decision on it like on a call, but never anything to grant:
// its provider runs it, and all that follows here is an answer. Refuses names and arguments that can't be read for certain.
import type { ItemBody } from "@airlock/core/contract";
import { isJsonObject, parseStrictJson } from "@airlock/core/json";
import { itemKey } from "@airlock/core/record";
import { hostedTool, hostedToolName } from "@airlock/core/tool";
import type { Deps } from "../deps.ts";
import { decideCall } from "./decide-call.ts";
import { quarantined, type AdmittedRun, type Judgement } from "./judgement.ts";

const DEPTH = 64;

export async function judgeHosted(
  deps: Deps,
  run: AdmittedRun,
  { item, content }: { readonly item: ItemBody; readonly content: string },
): Promise<Judgement> {
  const name = hostedToolName(item.server, item.name);
  const manifest = name === null ? null : hostedTool(name);
  if (manifest === null) return quarantined([], "TOOL_UNKNOWN", "no policy can name this hosted tool");
  const bounds = { maxBytes: manifest.limits.argumentBytes, maxDepth: DEPTH, topLevel: "object" } as const;
  const parsed = parseStrictJson(content === "" ? "{}" : content, bounds);
  if (!parsed.ok) return quarantined([], parsed.errorClass, `at offset ${parsed.offset}`);
  if (!isJsonObject(parsed.value)) return quarantined([], "JSON_TOP_LEVEL", "arguments must be an object");
  const judged = await decideCall(deps, run, { itemKey: itemKey(item), manifest, args: parsed.value });
  // a name that no rule knows is the model's own text: it stays out of the record, as it does out of events
  const tool = knownHostedTool(deps, run, name) ?? "(unregistered)";
  return { ...judged, fields: { ...judged.fields, tool }, grantable: null };
}

/** Its name where the run's policy has a rule for it; null for one that nobody has written down. */
export function knownHostedTool(
  { policies }: Pick<Deps, "policies">,
  { policy }: Pick<AdmittedRun, "policy">,
  tool: string | null,
): string | null {
  const layers = policies.get(policy)?.enforced.layers ?? [];
  return tool !== null && layers.some(({ rulesByTool }) => rulesByTool.has(tool)) ? tool : null;
}
