import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** The prefix lets scanners of repositories and logs find one that leaked. */
const FORM = /^airlock_[\w-]{43}$/;

export function newToken(): string {
  return `airlock_${randomBytes(32).toString("base64url")}`;
}

/** Of 32 random bytes: a plain hash is enough, there is nothing to guess. */
export function tokenDigest(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** The entry whose digest is the token's. Each is compared, in constant time, so that nothing is told by the time. */
export function findToken<Entry extends { readonly sha256: string }>(
  entries: readonly Entry[],
  token: string,
): Entry | null {
  if (!FORM.test(token)) return null;
  const digest = Buffer.from(tokenDigest(token), "hex");
  let found: Entry | null = null;
  for (const entry of entries) {
    if (timingSafeEqual(Buffer.from(entry.sha256, "hex"), digest)) found = entry;
  }
  return found;
}
