import { createHmac } from "node:crypto";
import type { Deps } from "../deps.ts";
import { openItem } from "../verdict/judge-item.ts";

/** Names what is marked, so that no other use of the same key gives the same marks. */
const PURPOSE = "airlock.content.v1\0";

/**
 * A keyed mark of an item's content as its model sent it, byte for byte: whoever has the key can tell equal contents,
 * nobody without it can test a guess. Undefined where nobody opted in, null where there is no content any more.
 */
export async function contentMark(
  deps: Pick<Deps, "redis" | "keyring" | "correlationKey">,
  itemKey: string,
): Promise<string | null | undefined> {
  const { correlationKey } = deps;
  if (correlationKey === null) return undefined;
  // an item that can't be opened was refused for that before, and is logged all the same
  const content = (await openItem(deps, itemKey).catch(() => null))?.content ?? null;
  if (content === null) return null;
  return createHmac("sha256", correlationKey).update(PURPOSE).update(content).digest("hex");
}
