// Leases in, renewals out, from a thread that no tool can hold up: it stops renewing for a main loop that stands still, and
// at the end of a lease, by the monotonic clock, it kills the call's sandbox and says so.
import type { Ledger } from "@airlock/core/ledger";
import type { ToRenewer } from "./messages.ts";

export interface RenewerDeps {
  readonly ledger: Pick<Ledger, "renew">;
  readonly progress: Int32Array;
  readonly kill: (marker: string) => Promise<boolean>;
  readonly onLost: (id: number) => void;
}

type Hold = Extract<ToRenewer, { type: "hold" }>;

/** Looks ten times per lease; renews three times. */
export function createRenewer(deps: RenewerDeps): (message: ToRenewer) => void {
  const timers = new Map<number, NodeJS.Timeout>();
  function drop(id: number): void {
    clearInterval(timers.get(id));
    timers.delete(id);
  }
  function hold(lease: Hold): void {
    const look = lookAt(lease, deps, () => {
      if (!timers.has(lease.id)) return;
      drop(lease.id);
      // the main loop's own kill, once it turns, is the one whose success counts
      void deps
        .kill(lease.marker)
        .catch(() => false)
        .then(() => deps.onLost(lease.id));
    });
    timers.set(lease.id, setInterval(look, Math.max(1, lease.leaseMs / 10)));
  }
  return (message) => {
    if (message.type === "hold") hold(message);
    else drop(message.id);
  };
}

function lookAt(lease: Hold, { ledger, progress }: RenewerDeps, over: () => void): () => void {
  const { itemKey, fence, leaseMs } = lease;
  const renewedAt = new BigInt64Array(lease.renewedAt);
  const leaseNs = BigInt(leaseMs) * 1_000_000n;
  let asked = Atomics.load(renewedAt, 0);
  let seen = Atomics.load(progress, 0) - 1;
  let renewing = false;

  async function renew(now: bigint): Promise<void> {
    renewing = true;
    asked = now;
    try {
      if (await ledger.renew(itemKey, fence, leaseMs)) Atomics.store(renewedAt, 0, now);
      else over();
    } catch {
      // Redis is away or full: the clock decides
    } finally {
      renewing = false;
    }
  }
  return () => {
    const now = process.hrtime.bigint();
    if (now - Atomics.load(renewedAt, 0) >= leaseNs) return over();
    if (renewing || now - asked < leaseNs / 3n) return;
    const progressed = Atomics.load(progress, 0);
    if (progressed === seen) return;
    seen = progressed;
    void renew(now);
  };
}
