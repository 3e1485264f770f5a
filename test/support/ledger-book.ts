import type { ItemState } from "@airlock/core/call";
import { createLedger, createMemoryLedger, type Ledger } from "@airlock/core/ledger";
import { itemKey, newRunId } from "@airlock/core/record";
import { readEvent, redisNow, runKeys, type Redis } from "@airlock/core/store";
import { passTime, virtual } from "./ledger-time.ts";

/** A ledger of one run with all that it looks at, whatever it is kept in. Time passes only when it is told to. */
export interface Book {
  readonly ledger: Ledger;
  item(ordinal: number): string;
  now(): Promise<number>;
  pass(ms: number): Promise<void>;
  /** What the validator writes of a call. */
  call(
    itemKey: string,
    fields: { state?: string; grant?: number; settled?: string; nonce?: string },
  ): Promise<void>;
  endRun(how: "cancelled" | "endedAt"): Promise<void>;
  /** Nothing is left of the run and its calls but what the ledger keeps. */
  forgetRun(): Promise<void>;
  /** States that were told of, each as `ordinal STATE class`. */
  told(): Promise<readonly string[]>;
  result(itemKey: string): Promise<string | null>;
}

type Facts = { state: string; grant: number; settled: boolean; nonce?: string };

export function openMemoryBook(): Promise<Book> {
  const run = newRunId();
  const calls = new Map<string, Facts>();
  const told: string[] = [];
  const stand = { now: 1_000_000_000_000, over: false, known: true };
  const ledger = createMemoryLedger({
    now: () => stand.now,
    call: (key) => (stand.known ? (calls.get(key) ?? null) : null),
    run: () => (stand.known ? { over: stand.over } : null),
    tell: (key, state, errorClass) => told.push(line(key, state, errorClass)),
  });
  return Promise.resolve({
    ledger,
    item: (ordinal) => itemKey({ run, turn: 1, attempt: 1, ordinal }),
    now: async () => stand.now,
    async pass(ms) {
      stand.now += ms;
    },
    async call(key, { state, grant, settled, nonce }) {
      const known = calls.get(key) ?? { state: "POLICY_APPROVED", grant: 0, settled: false };
      calls.set(key, {
        state: state ?? known.state,
        grant: grant ?? known.grant,
        settled: known.settled || settled !== undefined,
        ...(nonce === undefined ? {} : { nonce }),
      });
    },
    async endRun() {
      stand.over = true;
    },
    async forgetRun() {
      stand.known = false;
    },
    told: async () => [...told],
    result: async (key) => ledger.result(key),
  });
}

export async function openRedisBook(redis: Redis): Promise<Book> {
  const run = newRunId();
  const keys = runKeys(run);
  const clock = { passedMs: 0 };
  await redis.hset(keys.run, { state: "running" });
  await redis.xgroup("CREATE", keys.events, "test", "$", "MKSTREAM");
  return {
    ledger: virtual(createLedger(redis), clock),
    item: (ordinal) => itemKey({ run, turn: 1, attempt: 1, ordinal }),
    now: async () => (await redisNow(redis)) + clock.passedMs,
    pass: (ms) => passTime(redis, { run, clock }, ms),
    async call(key, fields) {
      if ((await redis.exists(keys.call(key))) === 0)
        await redis.hset(keys.call(key), "state", "POLICY_APPROVED");
      if (Object.keys(fields).length > 0) await redis.hset(keys.call(key), fields);
    },
    async endRun(how) {
      await redis.hset(keys.run, how, "1");
    },
    async forgetRun() {
      const all = await redis.keys(`airlock:{${run}}:*`);
      const forgotten = all.filter((key) => !key.includes(":ledger:"));
      if (forgotten.length > 0) await redis.del(...forgotten);
    },
    async told() {
      const entries = await redis.xrange(keys.events, "-", "+");
      return entries.flatMap(([, fields]) => {
        const event = readEvent(fields);
        return event?.type === "item_state" ? [line(event.itemKey, event.state, event.errorClass)] : [];
      });
    },
    result: async (key) => redis.get(keys.result(key)),
  };
}

function line(key: string, state: ItemState, errorClass: string | null): string {
  return [key.split(".").at(-1), state, ...(errorClass === null ? [] : [errorClass])].join(" ");
}
