// Takes the operator's setting and a run's source, gives the one address that its pushes go to, if any; refuses entries
// that are no source, or that carry credentials.
import { AirlockError } from "@airlock/core/fault";
import { sourceAllowed } from "@airlock/core/run";

/** Null: nothing of this source is pushed. */
export type PushTargets = (source: string) => string | null;

const ADDRESS = /^(?:\/|https:\/\/[^/@]+(?:\/|$)|ssh:\/\/(?:[A-Za-z0-9_.-]+@)?[^/@:-][^/@]*(?:\/|$))/;

/**
 * Each entry is `SOURCE`, which lets it and all below it be pushed to where it came from, or `SOURCE=ADDRESS` for one source
 * whose pushes go elsewhere. Throws CONFIG_INVALID.
 */
export function readPushTargets(entries: readonly string[]): PushTargets {
  const own: string[] = [];
  const other = new Map<string, string>();
  for (const entry of entries) {
    const cut = entry.indexOf("=");
    const [source, address] = cut === -1 ? [entry, null] : [entry.slice(0, cut), entry.slice(cut + 1)];
    for (const each of [source, address ?? source]) {
      if (ADDRESS.test(each) && !/[\p{Cc}\s]/u.test(each)) continue;
      const fix =
        "each entry is SOURCE or SOURCE=ADDRESS, an absolute path, https:// or ssh://, without a password";
      throw new AirlockError(
        "CONFIG_INVALID",
        `AIRLOCK_PUSH: ${JSON.stringify(redact(each))} is no address; ${fix}`,
      );
    }
    if (address === null) own.push(source);
    else other.set(source, address);
  }
  return (source) =>
    other.get(source) ?? (ADDRESS.test(source) && sourceAllowed(source, own) ? source : null);
}

/** What stands before an `@` may be a password. */
function redact(address: string): string {
  return address.replace(/\/\/[^/@]*@/, "//…@");
}
