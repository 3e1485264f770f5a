// An epoch in, Redis brought to what every log of the pool knows: this executor holds its own log and those that nobody
// uses, and waits until each of the others did the same. Claims are frozen meanwhile.
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Ledger } from "@airlock/core/ledger";
import type { Keyring } from "@airlock/core/record";
import type { Log } from "@airlock/core/runtime";
import type { Redis } from "@airlock/core/store";
import { holdAgainst, type Gap } from "./hold-against.ts";
import { findLostCalls } from "./lost-calls.ts";
import { readMark, type Mark } from "./mark.ts";
import { createPoolLogs, type PoolLogs } from "./pool-logs.ts";
import type { LoggedCalls } from "./read-log.ts";
import type { WriteAheadLog } from "./write-ahead-log.ts";

export interface SweepDeps {
  readonly redis: Redis;
  readonly keyring: Keyring;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly writeAhead: WriteAheadLog;
  readonly pool: string;
  readonly owner: string;
  readonly leaseMs: number;
  readonly signal: AbortSignal;
}

export interface Sweep {
  run(epoch: string, waiting: (detail: string) => void): Promise<void>;
  /** Takes over an executor's log where nobody uses it: what it knows may end a call that seems lost. */
  adopt(owner: string): Promise<void>;
  /** No claim that a failover lost can have had a fence above it; 0 where there was none. */
  fenceFloor(): number;
}

/** An epoch's floor lies this far above the last one's: more than one call is ever claimed in an epoch. */
const FENCES_PER_EPOCH = 1_000_000;
const LOOK_AGAIN_MS = 500;

export function createSweep(deps: SweepDeps): Sweep {
  const logs = createPoolLogs(deps.redis, deps.writeAhead, deps.pool);
  let mark: Mark | null = null;
  let adopting: Promise<void> = Promise.resolve();

  /** One at a time: a log is moved file by file. */
  function adoptUnused(owner: string | null): Promise<void> {
    const next = adopting.catch(() => undefined).then(() => adoptThose(deps, logs, owner));
    adopting = next;
    return next;
  }
  return {
    adopt: (owner) => adoptUnused(owner),
    fenceFloor: () => mark?.fenceFloor ?? 0,
    async run(epoch, waiting) {
      const next = { epoch, fenceFloor: floorOf(await logs.marks(), epoch) };
      await adoptUnused(null);
      await hold(deps, await deps.writeAhead.read(), (itemKey) => deps.writeAhead.running(itemKey));
      await loseLostCalls(deps, logs, next);
      await deps.writeAhead.setMark(next);
      await logs.register(next);
      for (;;) {
        const others = await behind(logs, epoch);
        if (others.length === 0) break;
        waiting(`executors that have not yet held their logs against Redis: ${others.join(", ")}`);
        await delay(LOOK_AGAIN_MS, undefined, { signal: deps.signal });
        await adoptUnused(null);
      }
      mark = next;
    },
  };
}

/** The same for all executors of an epoch, and above every fence of the ones before. */
export function floorOf(marks: readonly Mark[], epoch: string): number {
  const same = marks.filter((mark) => mark.epoch === epoch);
  if (same.length > 0) return Math.max(...same.map((mark) => mark.fenceFloor));
  return marks.length === 0 ? 0 : Math.max(...marks.map((mark) => mark.fenceFloor)) + FENCES_PER_EPOCH;
}

/** Of one owner, or of all. */
async function adoptThose(deps: SweepDeps, logs: PoolLogs, owner: string | null): Promise<void> {
  for (const folder of await logs.folders()) {
    if (owner !== null && path.basename(folder) !== owner) continue;
    const adopted = await logs.adopt(folder, (calls) => hold(deps, calls, () => false));
    if (adopted) deps.log.write("info", "log_adopted", { detail: path.basename(folder) });
  }
}

async function hold(
  deps: SweepDeps,
  calls: LoggedCalls,
  running: (itemKey: string) => boolean,
): Promise<void> {
  await holdAgainst({ ...deps, running, onGap: ({ started }, gap) => tell(deps.log, started, gap) }, calls);
}

function tell(log: Log, call: { readonly itemKey: string; readonly tool: string }, state: Gap): void {
  const { itemKey, tool } = call;
  log.write("warn", "log_gap", { itemKey, tool, state });
}

async function loseLostCalls(deps: SweepDeps, logs: PoolLogs, { epoch, fenceFloor }: Mark): Promise<void> {
  const owners = await logs.lost(epoch);
  if (owners.length === 0) return;
  deps.log.write("error", "log_lost", { count: owners.length, detail: owners.join(", ") });
  for (const { itemKey, ...known } of await findLostCalls(deps, { owners, fence: fenceFloor })) {
    tell(deps.log, { itemKey, tool: known.tool }, "lose_unseen");
    await deps.ledger.loseUnseen(itemKey, known);
  }
  for (const owner of owners) await logs.forget(owner);
}

/** The owners of logs in use that were last held against another Redis. */
async function behind(logs: PoolLogs, epoch: string): Promise<readonly string[]> {
  const folders = await logs.folders();
  const marks = await Promise.all(folders.map(readMark));
  return folders.flatMap((folder, at) => (marks[at]?.epoch === epoch ? [] : [path.basename(folder)]));
}
