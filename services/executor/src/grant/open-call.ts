// Takes a verified grant, gives the arguments that it was signed for, read from the streamer's own record, or for a call
// that the validator makes itself from the validator's;
// refuses whatever is not byte for byte what the grant is bound to, and what this executor's own policy doesn't allow.
import { argumentsDigest } from "@airlock/core/call";
import { itemBodySchema, parseBody, type ExecutionBody } from "@airlock/core/contract";
import { AirlockError, type ErrorClass } from "@airlock/core/fault";
import { isJsonObject, parseStrictJson, type JsonObject } from "@airlock/core/json";
import { itemKey as keyOf, openSealed, ownCallOf, sha256Hex, verifyRecord } from "@airlock/core/record";
import { openArguments, readItem } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import { manifestDigest, OWN_TOOLS, type ToolManifest } from "@airlock/core/tool";
import type { Deps } from "../deps.ts";
import { checkApproval } from "./check-approval.ts";
import { decideHere } from "./decide-here.ts";

const OWN_ARGUMENTS = { maxBytes: 33_554_432, maxDepth: 16, topLevel: "object" } as const;

/** `regrant` sends the call back to the validator, to be decided again: nothing was wrong with the grant itself. */
export type OpenedCall =
  | { readonly ok: true; readonly manifest: ToolManifest; readonly args: JsonObject }
  | CallRefusal;

export interface CallRefusal {
  readonly ok: false;
  readonly errorClass: ErrorClass;
  readonly detail: string;
  readonly regrant?: true;
  /** the model may be told the detail: it quotes neither paths nor arguments, and no rule that is private */
  readonly tellable?: true;
}

export async function openCall(deps: Deps, grant: ExecutionBody): Promise<OpenedCall> {
  try {
    const own = ownCallOf(grant.itemKey);
    const manifest = own === "check" ? OWN_TOOLS.get(grant.tool) : deps.catalog.get(grant.tool);
    if (manifest === undefined || manifestDigest(manifest) !== grant.manifestDigest) {
      return refused("TOOL_DRIFT", "the executor has another manifest of this tool");
    }
    const args = own === null ? await itemArguments(deps, grant) : await ownArguments(deps, grant);
    if (args === null) return refused("GRANT_INVALID", "the item is not the one that the grant is bound to");
    const refusal =
      (await decideHere(deps, grant, { manifest, args, view: null })) ?? (await checkApproval(deps, grant));
    return refusal ?? { ok: true, manifest, args };
  } catch (error) {
    if (error instanceof AirlockError && error.retry === "never")
      return refused("GRANT_INVALID", error.message);
    throw error;
  }
}

/** What the validator sealed beside its own call: the digest in its signed grant is all that vouches for it. */
async function ownArguments(deps: Deps, grant: ExecutionBody): Promise<JsonObject | null> {
  const sealed = await deps.redis.get(runKeys(grant.run).arguments(grant.itemKey));
  if (sealed === null) return null;
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

function refused(errorClass: ErrorClass, detail: string): CallRefusal {
  return { ok: false, errorClass, detail };
}
