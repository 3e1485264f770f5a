import { AirlockError } from "@airlock/core/fault";
import { openSealed, parseItemKey, sha256Hex } from "@airlock/core/record";
import type { CallHash } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";

/** Whether what the call gave is part of the conversation. */
export function counts(call: CallHash): boolean {
  return call.settled === "EXECUTED" && call.dropped === undefined;
}

/** What the tool gave back, held against the digest that the executor signed. */
export async function resultText(deps: Deps, itemKey: string, call: CallHash): Promise<string | null> {
  if (!counts(call) || call.contentDigest === undefined) return null;
  const ran = call.recordedOf ?? itemKey;
  const key = runKeys(parseItemKey(itemKey)?.run ?? "").result(ran);
  const sealed = await deps.redis.get(key);
  if (sealed === null || sha256Hex(sealed) !== call.contentDigest) {
    throw new AirlockError("RECORD_INVALID", "a result is not the one that the executor signed");
  }
  return openSealed(deps.keyring, { seal: "calls", place: key }, sealed);
}
