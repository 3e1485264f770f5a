import { Worker } from "node:worker_threads";
import type { Ledger } from "@airlock/core/ledger";
import { processMarker } from "../sandbox/index.ts";
import type { LeaseLost, RenewerData, ToRenewer } from "./messages.ts";

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
  /** the thread died, and with it every lease that it kept; the next claim starts another */
  readonly onFailure: (error: unknown) => void;
}

export function createLeases(deps: LeasesDeps): Leases {
  const { leaseMs } = deps;
  const progress = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const marks = new Int32Array(progress);
  const lost = new Map<number, AbortController>();
  let thread: Worker | null = null;
  let lastId = 0;
  const marking = setInterval(() => Atomics.add(marks, 0, 1), Math.max(1, leaseMs / 10));
  marking.unref();

  function started(): Worker {
    if (thread !== null) return thread;
    const worker = startThread({ redisUrl: deps.redisUrl, progress });
    thread = worker;
    worker.on("message", ({ id }: LeaseLost) => lost.get(id)?.abort());
    worker.on("error", deps.onFailure);
    worker.on("exit", () => {
      if (thread === worker) thread = null;
      for (const controller of lost.values()) controller.abort();
    });
    return worker;
  }
  return {
    keep({ itemKey, fence, askedAt }) {
      const id = (lastId += 1);
      const shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
      const renewedAt = new BigInt64Array(shared);
      renewedAt[0] = askedAt;
      const controller = new AbortController();
      lost.set(id, controller);
      const send = (message: ToRenewer): void => started().postMessage(message);
      const marker = processMarker(`${itemKey}.${fence}`);
      send({ type: "hold", id, itemKey, fence, leaseMs, marker, renewedAt: shared });
      const alive = (): boolean => {
        const age = process.hrtime.bigint() - Atomics.load(renewedAt, 0);
        return !controller.signal.aborted && age < BigInt(leaseMs) * 1_000_000n;
      };
      return {
        signal: controller.signal,
        alive,
        async holds() {
          if (!alive()) return false;
          const entry = await deps.ledger.read(itemKey);
          return entry?.fence === fence && entry.owner === deps.owner && entry.state === "STARTED" && alive();
        },
        stop() {
          lost.delete(id);
          if (thread !== null) send({ type: "drop", id });
        },
      };
    },
    async close() {
      clearInterval(marking);
      await thread?.terminate();
    },
  };
}

/** From built files as from sources, which an older Node.js reads with the loader that runs this one. */
function startThread(workerData: RenewerData): Worker {
  const built = import.meta.url.endsWith(".js");
  const file = new URL(built ? "./renewer-thread.js" : "./renewer-thread.ts", import.meta.url);
  const execArgv = built ? [] : ["--conditions=source", "--import", "tsx"];
  const worker = new Worker(file, { workerData, execArgv, name: "leases" });
  worker.unref();
  return worker;
}
