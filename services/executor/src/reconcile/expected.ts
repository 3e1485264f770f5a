import { isJsonObject, parseStrictJson, type JsonObject } from "@airlock/core/json";
import { openSealed, parseItemKey, sealBody, type Keyring } from "@airlock/core/record";
import { runKeys } from "@airlock/core/store";

/** What a probe is held against is content, so it lies sealed in the ledger's entry. */
export function sealExpected(keyring: Keyring, itemKey: string, expected: JsonObject): string {
  return sealBody(keyring, { seal: "calls", place: placeOf(itemKey) }, JSON.stringify(expected));
}

export function openExpected(keyring: Keyring, itemKey: string, sealed: string): JsonObject | null {
  const text = openSealed(keyring, { seal: "calls", place: placeOf(itemKey) }, sealed);
  const parsed = parseStrictJson(text, { maxBytes: 67_108_864, maxDepth: 128, topLevel: "object" });
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
}

function placeOf(itemKey: string): string {
  return `${runKeys(parseItemKey(itemKey)?.run ?? "").ledger(itemKey)}#expected`;
}
