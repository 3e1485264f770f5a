import { z } from "zod";
import { stopSequenceSchema } from "../contract/index.ts";
import { attemptKey, openSealed, sealBody, type AttemptParts, type Keyring } from "../record/index.ts";
import type { RunSpec } from "./spec.ts";

type StopSequences = RunSpec["stopSequences"];

/** Stop sequences as a turn's job carries them: queue jobs hold no text of a spec in clear. Null for none. */
export function sealStopSequences(
  keyring: Keyring,
  attempt: AttemptParts,
  sequences: StopSequences,
): string | null {
  return sequences.length === 0 ? null : sealBody(keyring, placeOf(attempt), JSON.stringify(sequences));
}

/** Throws SEAL_INVALID where they were sealed for another attempt. */
export function openStopSequences(
  keyring: Keyring,
  attempt: AttemptParts,
  sealed: string | null,
): StopSequences {
  if (sealed === null) return [];
  return z.array(stopSequenceSchema).parse(JSON.parse(openSealed(keyring, placeOf(attempt), sealed)));
}

function placeOf(attempt: AttemptParts): { readonly seal: "conversation"; readonly place: string } {
  return { seal: "conversation", place: `turns#${attemptKey(attempt)}#stop-sequences` };
}
