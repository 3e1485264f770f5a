import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Ledger } from "@airlock/core/ledger";
import { processMarker } from "../sandbox/index.ts";
import type { FromRenewer, RenewerData, ToRenewer } from "./messages.ts";

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
}

/** Resolves once the thread takes leases; throws what kept it from that. */
export async function openLeases(deps: LeasesDeps): Promise<Leases> {
  const progress = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const start = (): Worker => startThread({ redisUrl: deps.redisUrl, progress });
  const first = start();
  await once(first, "message");
  return leasesOf(deps, { progress: new Int32Array(progress), first, start });
}

interface Thread {
  readonly progress: Int32Array;
  readonly first: Worker;
  readonly start: () => Worker;
}

function leasesOf(deps: LeasesDeps, { progress, first, start }: Thread): Leases {
  const { leaseMs } = deps;
  const lost = new Map<number, AbortController>();
  let lastId = 0;
  let closing = false;
  const marking = setInterval(() => Atomics.add(progress, 0, 1), Math.max(1, leaseMs / 10));
  marking.unref();

  function listen(worker: Worker): Worker {
    worker.on("message", (message: FromRenewer) => {
      if (message.type === "lost") lost.get(message.id)?.abort();
    });
    worker.on("error", deps.onFailure);
    worker.on("exit", () => {
      for (const controller of lost.values()) controller.abort();
      if (!closing) thread = listen(start());
    });
    return worker;
  }
  let thread = listen(first);
  const send = (message: ToRenewer): void => thread.postMessage(message);
  return {
    keep({ itemKey, fence, askedAt }) {
      const id = (lastId += 1);
      const shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
      const renewedAt = new BigInt64Array(shared);
      renewedAt[0] = askedAt;
      const controller = new AbortController();
      lost.set(id, controller);
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
          send({ type: "drop", id });
        },
      };
    },
    async close() {
      closing = true;
      clearInterval(marking);
      await thread.terminate();
    },
  };
}

/** From built files as from sources; a thread of an older Node.js has no loader for these but the one that it registers. */
function startThread(workerData: RenewerData): Worker {
  const built = import.meta.url.endsWith(".js");
  const file = new URL(`./renewer-thread.${built ? "js" : "ts"}`, import.meta.url);
  const worker = built
    ? new Worker(file, { workerData })
    : new Worker(fromSource(file), { workerData, eval: true, execArgv: ["--conditions=source"] });
  worker.unref();
  return worker;
}

function fromSource(file: URL): string {
  const loader = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  return `import(${loader}).then(({ register }) => { register(); return import(${JSON.stringify(file)}); });`;
}
