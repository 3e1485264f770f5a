import { openSealed, sealBody, type AttemptParts, type Keyring } from "../record/index.ts";
import { runKeys } from "../store/index.ts";

/**
 * The bytes of a response that did not end well, sealed for their attempt. The seal is the streamer's and the client's
 * own: what a model wrote beside its calls is nobody else's.
 */
export function sealRaw(keyring: Keyring, attempt: AttemptParts, bytes: Uint8Array): string {
  return sealBody(keyring, placeOf(attempt), Buffer.from(bytes).toString("base64"));
}

export function openRaw(keyring: Keyring, attempt: AttemptParts, sealed: string): Uint8Array {
  return Buffer.from(openSealed(keyring, placeOf(attempt), sealed), "base64");
}

function placeOf(attempt: AttemptParts): { readonly seal: "raw"; readonly place: string } {
  return { seal: "raw", place: runKeys(attempt.run).raw(attempt) };
}
