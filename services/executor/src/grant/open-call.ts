// Takes a verified grant, gives the arguments that it was signed for, read from the streamer's own record, or for a call
// that the validator makes itself from the validator's;
// refuses whatever is not byte for byte what the grant is bound to, and what this executor's own policy doesn't allow.
import { argumentsDigest } from "@airlock/core/call";
import { itemBodySchema, parseBody, type ExecutionBody } from "@airlock/core/contract";
import { AirlockError, type ErrorClass } from "@airlock/core/fault";
import { isJsonObject, parseStrictJson, type JsonObject } from "@airlock/core/json";
import { evaluateCheck, evaluatePolicy } from "@airlock/core/policy";
import { itemKey as keyOf, openSealed, ownCallOf, sha256Hex, verifyRecord } from "@airlock/core/record";
import { openArguments, readCall, readItem } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import { argumentClaims, manifestDigest, OWN_TOOLS, type ToolManifest } from "@airlock/core/tool";
import type { Deps } from "../deps.ts";

const OWN_ARGUMENTS = { maxBytes: 33_554_432, maxDepth: 16, topLevel: "object" } as const;

export type OpenedCall =
  | { readonly ok: true; readonly manifest: ToolManifest; readonly args: JsonObject }
  | { readonly ok: false; readonly errorClass: ErrorClass; readonly detail: string };

export async function openCall(deps: Deps, grant: ExecutionBody): Promise<OpenedCall> {
  try {
    const own = ownCallOf(grant.itemKey);
    const manifest = own === "check" ? OWN_TOOLS.get(grant.tool) : deps.catalog.get(grant.tool);
    if (manifest === undefined || manifestDigest(manifest) !== grant.manifestDigest) {
      return refused("TOOL_DRIFT", "the executor has another manifest of this tool");
    }
    const args = own === null ? await itemArguments(deps, grant) : await ownArguments(deps, grant);
    if (args === null) return refused("GRANT_INVALID", "the item is not the one that the grant is bound to");
    return checkPolicy(deps, grant, { manifest, args });
  } catch (error) {
    if (error instanceof AirlockError && error.retry === "never")
      return refused("GRANT_INVALID", error.message);
    throw error;
  }
}

/** What the validator sealed beside its own call: the digest in its signed grant is all that vouches for it. */
async function ownArguments(deps: Deps, grant: ExecutionBody): Promise<JsonObject | null> {
  const sealed = (await readCall(deps.redis, grant.itemKey))?.arguments;
  if (sealed === undefined) return null;
  const text = openArguments(deps.keyring, grant.itemKey, sealed);
  const parsed = parseStrictJson(text, OWN_ARGUMENTS);
  return parsed.ok && isJsonObject(parsed.value) ? asGranted(grant, parsed.value) : null;
}

async function itemArguments(deps: Deps, grant: ExecutionBody): Promise<JsonObject | null> {
  const stored = await readItem(deps.redis, grant.itemKey);
  if (stored === null || stored.content === null) return null;
  const item = parseBody(itemBodySchema, verifyRecord(deps.keyring, "item", stored.record));
  if (keyOf(item) !== grant.itemKey || item.state !== "ITEM_TERMINAL" || item.name !== grant.tool)
    return null;
  if (item.contentDigest !== sha256Hex(stored.content)) return null;
  const place = runKeys(item.run).item(grant.itemKey);
  const content = openSealed(deps.keyring, { seal: "calls", place }, stored.content);
  const { name, argumentsKind } = item;
  const verdict = deps.judge.judge({ name, argumentsKind, content, allowedTools: new Set([grant.tool]) });
  return verdict.status === "SCHEMA_VALID" ? asGranted(grant, verdict.arguments) : null;
}

function asGranted(grant: ExecutionBody, args: JsonObject): JsonObject | null {
  const { tool, manifestDigest: manifest, workspace } = grant;
  const digest = argumentsDigest({ tool, manifestDigest: manifest, arguments: args, workspace });
  return digest === grant.argumentsDigest ? args : null;
}

/** The executor decides again with its own copy of the policy; it may only be stricter. */
function checkPolicy(
  deps: Deps,
  grant: ExecutionBody,
  call: { readonly manifest: ToolManifest; readonly args: JsonObject },
): OpenedCall {
  const { manifest, args } = call;
  const policy = deps.policies.get(grant.policy);
  if (policy === undefined || policy.digest !== grant.policyDigest) {
    return refused("POLICY_CHANGED", "the executor has another version of the policy");
  }
  const claims = argumentClaims(manifest, args);
  const evaluate = OWN_TOOLS.has(manifest.name) ? evaluateCheck : evaluatePolicy;
  const { decision, reason } = evaluate(policy, {
    tool: manifest.name,
    effect: manifest.effect,
    arguments: args,
    claims,
  });
  return decision === "allow" || decision === "flag"
    ? { ok: true, ...call }
    : refused("POLICY_CHANGED", reason);
}

function refused(errorClass: ErrorClass, detail: string): OpenedCall {
  return { ok: false, errorClass, detail };
}
