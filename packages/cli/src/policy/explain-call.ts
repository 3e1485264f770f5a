// Takes a policy, a tool and the text of its arguments, gives policy's decision on that call; refuses what no call can
// be: arguments that are no strict JSON object, or that the tool's own schema refuses.
import { AirlockError } from "@airlock/core/fault";
import { isJsonObject, parseStrictJson, type JsonObject } from "@airlock/core/json";
import {
  evaluateInView,
  evaluatePolicy,
  type Policy,
  type PolicyDecision,
  type PolicyRequest,
} from "@airlock/core/policy";
import { argumentClaims, type ToolCatalog } from "@airlock/core/tool";
import { createJudge } from "@airlock/core/verdict";
import { folderView } from "./folder-view.ts";

export interface ExplainedCall {
  readonly policy: Policy;
  readonly catalog: ToolCatalog;
  readonly tool: string;
  /** JSON text */
  readonly args: string;
  /** a workspace to look at; null to go by the words alone */
  readonly workspace: string | null;
}

const LIMITS = { maxBytes: 1_048_576, maxDepth: 64, topLevel: "object" } as const;

export function explainCall(call: ExplainedCall): Promise<PolicyDecision> {
  const { policy, workspace, catalog, tool } = call;
  const request = requestOf(call);
  // what nobody registered claims no path that a look could change; names of the validator's own tools are no exception
  if (workspace === null || catalog.get(tool) === undefined)
    return Promise.resolve(evaluatePolicy(policy, request));
  return evaluateInView(policy, request, folderView(workspace));
}

function requestOf({ catalog, tool, args }: ExplainedCall): PolicyRequest {
  const manifest = catalog.get(tool);
  if (manifest === undefined) {
    // policy has an answer for a tool that nobody registered
    const claims = { reads: [], writes: [], workspace: "none" } as const;
    return { tool, effect: "mutating", arguments: plainArguments(args), claims, place: null };
  }
  const verdict = createJudge(catalog).judge({
    name: tool,
    argumentsKind: "json",
    content: args,
    allowedTools: new Set([tool]),
  });
  if (verdict.status === "QUARANTINED") {
    throw new AirlockError(
      "USAGE",
      `--args are no arguments of ${tool}: ${verdict.errorClass}, ${verdict.detail}`,
    );
  }
  const claims = argumentClaims(manifest, verdict.arguments);
  return { tool, effect: manifest.effect, arguments: verdict.arguments, claims, place: null };
}

function plainArguments(args: string): JsonObject {
  const parsed = parseStrictJson(args, LIMITS);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  throw new AirlockError("USAGE", "--args are not one JSON object");
}
