import { parseBody, previewSchema, type Preview } from "../contract/index.ts";
import { openSealed, parseItemKey, sealBody, type Keyring } from "../record/index.ts";
import { runKeys } from "../store/index.ts";

/** What an executor saw of a call that waits for people, sealed for the place where it lies. */
export function sealPreview(keyring: Keyring, itemKey: string, preview: Preview): string {
  return sealBody(keyring, placeOf(itemKey), JSON.stringify(previewSchema.parse(preview)));
}

export function openPreview(keyring: Keyring, itemKey: string, sealed: string): Preview {
  return parseBody(previewSchema, openSealed(keyring, placeOf(itemKey), sealed));
}

function placeOf(itemKey: string): { readonly seal: "calls"; readonly place: string } {
  return { seal: "calls", place: runKeys(parseItemKey(itemKey)?.run ?? "").preview(itemKey) };
}
