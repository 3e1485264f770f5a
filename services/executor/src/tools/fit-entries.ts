import { Buffer } from "node:buffer";
import type { JsonValue } from "@airlock/core/json";

/** As many entries as fit, in their order: as JSON in UTF-8 they have at most `maxBytes`. */
export function fitEntries<Entry extends JsonValue>(
  entries: readonly Entry[],
  maxBytes: number,
): readonly Entry[] {
  let total = 0;
  const over = entries.findIndex((entry) => {
    total += Buffer.byteLength(JSON.stringify(entry)) + 1;
    return total > maxBytes;
  });
  return over === -1 ? entries : entries.slice(0, over);
}
