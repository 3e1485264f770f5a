import { openSealed, sealBody, type AttemptParts, type Keyring } from "../record/index.ts";
import { runKeys } from "../store/index.ts";
import type { AttemptHash } from "./records.ts";

const MAX_CHARACTERS = 4_096;

/**
 * What a provider said in words about how a response ended, sealed for its attempt: it may quote the model or the
 * conversation, so that it stands in no log, event or job. Null for nothing.
 */
export function sealProviderText(
  keyring: Keyring,
  attempt: AttemptParts,
  text: string | null,
): string | null {
  return text === null ? null : sealBody(keyring, sealPlace(attempt), text.slice(0, MAX_CHARACTERS));
}

/** The words, or null where none were kept. Throws SEAL_INVALID where they were edited or moved. */
export function openProviderText(
  keyring: Keyring,
  attempt: AttemptParts,
  { providerText }: Pick<AttemptHash, "providerText">,
): string | null {
  return providerText === undefined ? null : openSealed(keyring, sealPlace(attempt), providerText);
}

/** The seal of calls: streamer and client both hold it, and no part of the words is more than a call may be. */
function sealPlace(attempt: AttemptParts): { readonly seal: "calls"; readonly place: string } {
  return { seal: "calls", place: `${runKeys(attempt.run).attempt(attempt)}#provider-text` };
}
