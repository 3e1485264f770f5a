// What the validator signed about a call in, the call's arguments out, read from the streamer's own record, or for a call that
// the validator makes itself from the validator's; null for whatever is not byte for byte what the signature is bound to.
import { argumentsDigest } from "@airlock/core/call";
import { itemBodySchema, parseBody, type ExecutionBody } from "@airlock/core/contract";
import { isJsonObject, parseStrictJson, type JsonObject } from "@airlock/core/json";
import { itemKey as keyOf, openSealed, ownCallOf, sha256Hex, verifyRecord } from "@airlock/core/record";
import { openArguments, readItem } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";

const OWN_ARGUMENTS = { maxBytes: 33_554_432, maxDepth: 16, topLevel: "object" } as const;

export type BoundCall = Pick<
  ExecutionBody,
  "run" | "itemKey" | "tool" | "manifestDigest" | "argumentsDigest" | "workspace"
>;

/** Throws as its parts do for records that their producer didn't sign or seal. */
export function boundArguments(deps: Deps, call: BoundCall): Promise<JsonObject | null> {
  return ownCallOf(call.itemKey) === null ? itemArguments(deps, call) : ownArguments(deps, call);
}

/** What the validator sealed beside its own call: the digest that it signed is all that vouches for it. */
async function ownArguments(deps: Deps, call: BoundCall): Promise<JsonObject | null> {
  const sealed = await deps.redis.get(runKeys(call.run).arguments(call.itemKey));
  if (sealed === null) return null;
  const text = openArguments(deps.keyring, call.itemKey, sealed);
  const parsed = parseStrictJson(text, OWN_ARGUMENTS);
  return parsed.ok && isJsonObject(parsed.value) ? asBound(call, parsed.value) : null;
}

async function itemArguments(deps: Deps, call: BoundCall): Promise<JsonObject | null> {
  const stored = await readItem(deps.redis, call.itemKey);
  if (stored === null || stored.content === null) return null;
  const item = parseBody(itemBodySchema, verifyRecord(deps.keyring, "item", stored.record));
  if (keyOf(item) !== call.itemKey || item.state !== "ITEM_TERMINAL" || item.name !== call.tool) return null;
  if (item.contentDigest !== sha256Hex(stored.content)) return null;
  const place = runKeys(item.run).item(call.itemKey);
  const content = openSealed(deps.keyring, { seal: "calls", place }, stored.content);
  const { name, argumentsKind } = item;
  const verdict = deps.judge.judge({ name, argumentsKind, content, allowedTools: new Set([call.tool]) });
  return verdict.status === "SCHEMA_VALID" ? asBound(call, verdict.arguments) : null;
}

function asBound(call: BoundCall, args: JsonObject): JsonObject | null {
  const { tool, manifestDigest: manifest, workspace } = call;
  const digest = argumentsDigest({ tool, manifestDigest: manifest, arguments: args, workspace });
  return digest === call.argumentsDigest ? args : null;
}
