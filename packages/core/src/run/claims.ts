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
  return sealBody(keyring, claimsPlace(itemKey), JSON.stringify(claims));
}

/** Throws SEAL_INVALID for claims that were edited or moved: an order between calls rests on them. */
export function openClaims(keyring: Keyring, itemKey: string, sealed: string): ResourceClaims {
  return claimsSchema.parse(JSON.parse(openSealed(keyring, claimsPlace(itemKey), sealed)));
}

/** The arguments of a call that the validator makes itself; the grant is bound to their digest. */
export function sealArguments(keyring: Keyring, itemKey: string, args: JsonObject): string {
  return sealBody(keyring, argumentsPlace(itemKey), canonicalJson(args));
}

/** Their canonical JSON. Throws SEAL_INVALID for arguments that were edited or moved. */
export function openArguments(keyring: Keyring, itemKey: string, sealed: string): string {
  return openSealed(keyring, argumentsPlace(itemKey), sealed);
}

interface Place {
  readonly seal: "calls";
  readonly place: string;
}

function claimsPlace(itemKey: string): Place {
  return { seal: "calls", place: `${keysOf(itemKey).call(itemKey)}#claims` };
}

function argumentsPlace(itemKey: string): Place {
  return { seal: "calls", place: keysOf(itemKey).arguments(itemKey) };
}

function keysOf(itemKey: string): ReturnType<typeof runKeys> {
  return runKeys(parseItemKey(itemKey)?.run ?? "");
}
