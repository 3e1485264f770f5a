// A call with effects begins here: only while Redis is the one that it was, only where it keeps what it acknowledged, and
// never before this executor's own log has the start.
import path from "node:path";
import { createLedger, type BeginAnswer, type Beginning, type Ledger } from "@airlock/core/ledger";
import { errorFields, type ReadyCheck } from "@airlock/core/runtime";
import type { Redis } from "@airlock/core/store";
import { createEpochGate, type EpochGate, type Pass } from "./epoch-gate.ts";
import { createSureEnd, type SureEnd } from "./sure-end.ts";
import { promiseOf, type Promised } from "./promise.ts";
import { createSweep, type SweepDeps } from "./sweep.ts";
import { createWaitAof, type WaitAof } from "./wait-aof.ts";
import { openWriteAheadLog, type WriteAheadLog } from "./write-ahead-log.ts";

export interface Durability {
  /** Null while claims are frozen: the job goes back, and comes again. */
  enter(): Promise<Pass | null>;
  /** Null where a call with effects may begin; else what keeps it from that. A disk that was full is tried anew. */
  refusal(): Promise<string | null>;
  begin(itemKey: string, fence: number, beginning: Beginning): Promise<Begun>;
  readonly writeAhead: WriteAheadLog;
  /** The ledger's `end`, tried until Redis takes it. */
  readonly end: SureEnd["end"];
  /** No fence up to this one is free: what `claim` has to be told. */
  knownFence(itemKey: string): number;
  /** Takes over an executor's log where nobody uses it: what it knows may end a call that seems lost. */
  adopt(owner: string): Promise<void>;
  readonly check: ReadyCheck;
  close(): Promise<void>;
}

/** The ledger's answer, and the barrier behind it. */
export interface Begun {
  readonly answer: BeginAnswer;
  /** Waits until the start is kept, for half a lease at most; false where that was not shown. */
  kept(signal: AbortSignal): Promise<boolean>;
}

export interface DurabilityOptions {
  readonly mode: "strict" | "relaxed";
  /** replicas whose disks the barrier waits for, besides the server's own */
  readonly replicas: number;
  /** how long one WAITAOF may take */
  readonly barrierMs: number;
  /** how long the ledger's entries are kept; left out: as ledgers are by themselves */
  readonly keepMs?: number;
  /** the folder below which the logs of a pool lie */
  readonly folder: string;
}

/** Throws where the log can't be opened: an executor without one could begin nothing. */
export async function openDurability(
  deps: Omit<SweepDeps, "writeAhead">,
  options: DurabilityOptions,
): Promise<Durability> {
  const writeAhead = await openWriteAheadLog(path.resolve(options.folder), deps.owner);
  const sweep = createSweep({ ...deps, writeAhead });
  const gate = createEpochGate({
    ...deps,
    sweep: (epoch, waiting) => sweep.run(epoch, waiting),
    onChange: (state, detail) => deps.log.write("warn", "claims_gate", { state, detail }),
    onError: (error) => deps.log.write("error", "log_sweep_failed", errorFields(error)),
  });
  const sureEnd = createSureEnd(deps.ledger, deps.signal);
  const waiter = createBarrier({ ...deps, gate }, options);
  return {
    writeAhead,
    ...waiter,
    end: (call, ending) => sureEnd.end(call, ending),
    enter: () => gate.enter(),
    adopt: (owner) => sweep.adopt(owner),
    knownFence: (itemKey) => Math.max(writeAhead.knownFence(itemKey), sweep.fenceFloor()),
    async refusal() {
      const promised = promisedBy(gate, options);
      if (!promised.holds) return promised.detail;
      return (await writeAhead.mend()) ? null : writeAhead.trouble();
    },
    check() {
      const promised = promisedBy(gate, options);
      const trouble = gate.frozen() ?? writeAhead.trouble() ?? sureEnd.trouble();
      return {
        name: "durability",
        ok: promised.holds && trouble === null,
        detail: trouble ?? promised.detail,
      };
    },
    async close() {
      waiter.disconnect();
      await writeAhead.close();
    },
  };
}

function promisedBy(gate: EpochGate, options: DurabilityOptions): Promised {
  const facts = gate.facts();
  if (facts === null) return { holds: false, detail: "Redis was not looked at yet" };
  return promiseOf(facts, options);
}

interface Barrier {
  begin: Durability["begin"];
  disconnect(): void;
}

/** WAITAOF holds up its connection, and says something of that connection's writes only: begin has one with it. */
function createBarrier(
  deps: Pick<SweepDeps, "redis" | "ledger" | "leaseMs"> & { readonly gate: EpochGate },
  options: DurabilityOptions,
): Barrier {
  let own: { readonly redis: Redis; readonly ledger: Ledger; readonly waitAof: WaitAof } | null = null;
  function connection(): NonNullable<typeof own> {
    if (own !== null) return own;
    const redis = deps.redis.duplicate();
    redis.on("error", () => undefined); // the shared connection reports the outage
    deps.gate.add(redis);
    own = { redis, ledger: createLedger(redis, options.keepMs), waitAof: createWaitAof(redis) };
    return own;
  }
  return {
    async begin(itemKey, fence, beginning) {
      const promised = promisedBy(deps.gate, options);
      if (!promised.holds || promised.wait === null) {
        const answer = await deps.ledger.begin(itemKey, fence, beginning);
        return { answer, kept: () => Promise.resolve(promised.holds) };
      }
      const { replicas } = promised.wait;
      const { ledger, waitAof } = connection();
      const answer = await ledger.begin(itemKey, fence, beginning);
      const over = performance.now() + deps.leaseMs / 2;
      const ask = (): Promise<boolean> => waitAof(replicas, options.barrierMs);
      return { answer, kept: (signal) => keptBy(ask, over, signal) };
    },
    disconnect: () => own?.redis.disconnect(),
  };
}

/** False as soon as the signal is, whatever the server does, and where the server refuses to say. */
async function keptBy(ask: () => Promise<boolean>, over: number, signal: AbortSignal): Promise<boolean> {
  const aborted = new Promise<false>((resolve) => {
    signal.addEventListener("abort", () => resolve(false), { once: true });
  });
  try {
    while (!signal.aborted && performance.now() < over) {
      if (await Promise.race([ask(), aborted])) return true;
    }
    return false;
  } catch {
    return false;
  }
}
