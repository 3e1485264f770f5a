import type { Ledger, LedgerEntry } from "@airlock/core/ledger";
import { runKeys, type Redis } from "@airlock/core/store";

/** How far a test's time is ahead of Redis' own, which can't be moved. */
export interface PassedTime {
  passedMs: number;
}

const TIMES = ["leaseUntil", "notAfter", "startedAt", "unknownAt"] as const;

/** The ledger in the test's time: what it is asked and what it says is moved by what has passed. */
export function virtual(ledger: Ledger, clock: PassedTime): Ledger {
  const ahead = (entry: LedgerEntry): LedgerEntry => {
    const moved = TIMES.flatMap((name) => {
      const time = entry[name];
      return time === undefined || time === 0 ? [] : [[name, time + clock.passedMs] as const];
    });
    return { ...entry, ...Object.fromEntries(moved) };
  };
  return {
    ...ledger,
    claim: ({ expiresAt, notAfter, ...request }) =>
      ledger.claim({
        ...request,
        expiresAt: expiresAt - clock.passedMs,
        notAfter: notAfter - clock.passedMs,
      }),
    async reconcile(itemKey, by) {
      const answer = await ledger.reconcile(itemKey, by);
      return answer.kind === "reconciling" ? { ...answer, entry: ahead(answer.entry) } : answer;
    },
    async read(itemKey) {
      const entry = await ledger.read(itemKey);
      return entry === null ? null : ahead(entry);
    },
  };
}

/** Moves all that the ledger wrote into the past, and takes away what would have gone by then. */
export async function passTime(
  redis: Redis,
  { run, clock }: { readonly run: string; readonly clock: PassedTime },
  ms: number,
): Promise<void> {
  clock.passedMs += ms;
  for (const key of await redis.keys(`airlock:{${run}}:ledger:*`)) {
    for (const name of TIMES) await earlier(redis, [key, name], ms);
    const left = await redis.pttl(key);
    if (left > ms) await redis.pexpire(key, left - ms);
    else if (left >= 0) await redis.del(key);
  }
  await earlier(redis, [runKeys(run).workspace, "holderUntil"], ms);
}

async function earlier(redis: Redis, [key, name]: readonly [string, string], ms: number): Promise<void> {
  const time = Number((await redis.hget(key, name)) ?? "0");
  if (time !== 0) await redis.hset(key, name, time - ms);
}
