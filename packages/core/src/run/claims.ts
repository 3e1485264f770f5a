import { z } from "zod";
import { canonicalJson, type JsonObject } from "../json/index.ts";
import { openSealed, parseItemKey, sealBody, type Keyring } from "../record/index.ts";
import { runKeys } from "../store/index.ts";
import type { ResourceClaims } from "../tool/index.ts";

const claimsSchema = z.strictObject({
  reads: z.array(z.string()),
  writes: z.array(z.string()),
  workspace: z.enum(["none", "read", "write"]),
});

/** Claims as they stand in a call's hash: sealed, since they name paths, and paths are arguments. */
export function sealClaims(keyring: Keyring, itemKey: string, claims: ResourceClaims): string {
  return sealBody(keyring, placeOf(itemKey, "claims"), JSON.stringify(claims));
}

/** Throws SEAL_INVALID for claims that were edited or moved: an order between calls rests on them. */
export function openClaims(keyring: Keyring, itemKey: string, sealed: string): ResourceClaims {
  return claimsSchema.parse(JSON.parse(openSealed(keyring, placeOf(itemKey, "claims"), sealed)));
}

/** The arguments of a call that the validator makes itself; the grant is bound to their digest. */
export function sealArguments(keyring: Keyring, itemKey: string, args: JsonObject): string {
  return sealBody(keyring, placeOf(itemKey, "arguments"), canonicalJson(args));
}

/** Their canonical JSON. Throws SEAL_INVALID for arguments that were edited or moved. */
export function openArguments(keyring: Keyring, itemKey: string, sealed: string): string {
  return openSealed(keyring, placeOf(itemKey, "arguments"), sealed);
}

function placeOf(
  itemKey: string,
  field: "claims" | "arguments",
): { readonly seal: "calls"; readonly place: string } {
  const run = parseItemKey(itemKey)?.run ?? "";
  return { seal: "calls", place: `${runKeys(run).call(itemKey)}#${field}` };
}
