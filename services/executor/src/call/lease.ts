import type { Ledger } from "@airlock/core/ledger";

/** A claim that is kept alive while its call is worked on. */
export interface Lease {
  /** aborts when the lease can't be shown to hold any more */
  readonly signal: AbortSignal;
  /** asks the ledger whether the fence is still this one; false as well where the lease ran out by our own clock */
  holds(): Promise<boolean>;
  stop(): void;
}

/**
 * Renews three times per lease. Where no renewal came through for a whole lease, by the monotonic clock,
 * the work is aborted without asking anybody: somebody else may hold the call by then.
 */
export function keepLease(
  ledger: Ledger,
  claim: { readonly itemKey: string; readonly fence: number; readonly leaseMs: number },
): Lease {
  const { itemKey, fence, leaseMs } = claim;
  const lost = new AbortController();
  let renewedAt = performance.now();
  const alive = (): boolean => performance.now() - renewedAt < leaseMs;
  const renew = async (): Promise<void> => {
    const asked = performance.now();
    try {
      if (await ledger.renew(itemKey, fence, leaseMs)) renewedAt = asked;
      else lost.abort();
    } catch {
      // Redis is away: the clock decides below
    }
  };
  const timer = setInterval(() => {
    if (alive()) void renew();
    else lost.abort();
  }, leaseMs / 3);
  return {
    signal: lost.signal,
    async holds() {
      if (lost.signal.aborted || !alive()) return false;
      const entry = await ledger.read(itemKey);
      return entry?.fence === fence && entry.state === "STARTED";
    },
    stop: () => clearInterval(timer),
  };
}
