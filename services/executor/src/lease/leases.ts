import type { Ledger } from "@airlock/core/ledger";
import { processMarker } from "../sandbox/index.ts";
import { openLeaseThread, type LeaseThread } from "./lease-thread.ts";

/** A claim that is kept alive while its call is worked on. */
export interface Lease {
  /** aborts when the lease can't be shown to hold any more */
  readonly signal: AbortSignal;
  /** asks the ledger whether the start is still this one's; false as well where the lease ran out by our own clock */
  holds(): Promise<boolean>;
  /** by our own clock alone */
  alive(): boolean;
  stop(): void;
}

export interface Claim {
  readonly itemKey: string;
  readonly fence: number;
  /** when the claim was asked for, as `process.hrtime.bigint()` gives it */
  readonly askedAt: bigint;
}

/** Keeps leases from a thread with a connection of its own: a main loop that stands still loses them in time. */
export interface Leases {
  keep(claim: Claim): Lease;
  close(): Promise<void>;
}

export interface LeasesDeps {
  readonly ledger: Pick<Ledger, "read">;
  readonly redisUrl: string;
  readonly owner: string;
  readonly leaseMs: number;
  /** the thread died, and with it every lease that it kept; another one is started */
  readonly onFailure: (error: unknown) => void;
  /** a lease was over before its call let it go */
  readonly onLost?: () => void;
}

/** Throws where the thread can't be started. */
export async function openLeases(deps: LeasesDeps): Promise<Leases> {
  const progress = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const marks = new Int32Array(progress);
  const lost = new Map<number, AbortController>();
  const thread = await openLeaseThread({
    redisUrl: deps.redisUrl,
    progress,
    onLost(id) {
      if (lost.has(id)) deps.onLost?.();
      lost.get(id)?.abort();
    },
    onDeath(error) {
      deps.onFailure(error);
      for (const controller of lost.values()) controller.abort();
    },
  });
  const marking = setInterval(() => Atomics.add(marks, 0, 1), Math.max(1, deps.leaseMs / 10));
  marking.unref();
  let lastId = 0;
  return {
    keep(claim) {
      lastId += 1;
      return leaseOf({ ...deps, thread, lost, id: lastId }, claim);
    },
    async close() {
      clearInterval(marking);
      await thread.close();
    },
  };
}

interface Keeping extends LeasesDeps {
  readonly thread: LeaseThread;
  readonly lost: Map<number, AbortController>;
  readonly id: number;
}

function leaseOf(
  { thread, lost, id, leaseMs, ledger, owner }: Keeping,
  { itemKey, fence, askedAt }: Claim,
): Lease {
  const shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
  const renewedAt = new BigInt64Array(shared);
  renewedAt[0] = askedAt;
  const controller = new AbortController();
  lost.set(id, controller);
  const marker = processMarker(`${itemKey}.${fence}`);
  thread.send({ type: "hold", id, itemKey, fence, leaseMs, marker, renewedAt: shared });
  const alive = (): boolean => {
    const age = process.hrtime.bigint() - Atomics.load(renewedAt, 0);
    return !controller.signal.aborted && age < BigInt(leaseMs) * 1_000_000n;
  };
  return {
    signal: controller.signal,
    alive,
    async holds() {
      if (!alive()) return false;
      const entry = await ledger.read(itemKey);
      return entry?.fence === fence && entry.owner === owner && entry.state === "STARTED" && alive();
    },
    stop() {
      lost.delete(id);
      thread.send({ type: "drop", id });
    },
  };
}
