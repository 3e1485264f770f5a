import { openSealed, sealBody, type AttemptParts, type Keyring } from "../record/index.ts";
import { runKeys } from "../store/index.ts";
import type { AttemptHash } from "./records.ts";

/** Of a response of a contract run, the bytes as the route sent them, sealed for their attempt. */
export function sealRecording(keyring: Keyring, attempt: AttemptParts, bytes: Uint8Array): string {
  return sealBody(keyring, sealPlace(attempt), Buffer.from(bytes).toString("base64"));
}

/** The bytes, or null where none were kept. Throws SEAL_INVALID where they were edited or moved. */
export function openRecording(
  keyring: Keyring,
  attempt: AttemptParts,
  { recording }: Pick<AttemptHash, "recording">,
): Uint8Array | null {
  if (recording === undefined) return null;
  return Buffer.from(openSealed(keyring, sealPlace(attempt), recording), "base64");
}

/** The seal of calls: streamer and client both hold it, and a response holds nothing that its items don't. */
function sealPlace(attempt: AttemptParts): { readonly seal: "calls"; readonly place: string } {
  return { seal: "calls", place: `${runKeys(attempt.run).attempt(attempt)}#recording` };
}
