// An answer that is worth another attempt in, how long to wait for that out.

/** A receiver may ask for quiet, but not for so long that its messages pile up. */
const LONGEST_MS = 3_600_000;

/** An attempt failed, and another is to follow. */
export class TryAgain extends Error {
  /** what the receiver asked for; null where it did not say */
  readonly waitMs: number | null;
  constructor(reason: string, waitMs: number | null) {
    super(reason);
    this.waitMs = waitMs;
  }
}

/** `Retry-After` in milliseconds: seconds, or a date of HTTP (RFC 9110, 10.2.3). Null for anything else. */
export function retryAfterMs(header: unknown, now: number): number | null {
  if (typeof header !== "string") return null;
  if (/^\d{1,10}$/.test(header)) return Math.min(Number(header) * 1_000, LONGEST_MS);
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(header)) return null;
  const until = Date.parse(header);
  return Number.isNaN(until) ? null : Math.min(Math.max(until - now, 0), LONGEST_MS);
}

/** Twice as long each time, up to a half less by chance, and never less than the receiver asked for. */
export function waitBefore(attemptsMade: number, firstMs: number, error: unknown): number {
  const full = Math.min(firstMs * 2 ** (attemptsMade - 1), LONGEST_MS);
  const own = Math.floor(full * (1 - Math.random() / 2));
  return error instanceof TryAgain ? Math.max(own, error.waitMs ?? 0) : own;
}
