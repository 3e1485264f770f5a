import { createLedger, type Ending, type Ledger } from "@airlock/core/ledger";
import { createKeyrings, type Keyring } from "@airlock/core/record";
import type { Log, LogFields } from "@airlock/core/runtime";
import { connectRedis, runKeys, type Redis } from "@airlock/core/store";
import { setTimeout as sleep } from "node:timers/promises";
import { openDurability, type Durability } from "../../services/executor/src/durability/index.ts";

/** What an executor begins calls with, without its queue: a log, a gate, a ledger. */
export interface DurableExecutor {
  readonly owner: string;
  readonly redis: Redis;
  readonly ledger: Ledger;
  readonly durability: Durability;
  readonly keyring: Keyring;
  /** what it logged: event and fields */
  readonly told: readonly ({ readonly event: string } & LogFields)[];
  /** Takes a granted call and begins it, as far as the log. */
  start(call: TestCall): Promise<number>;
  claim(call: TestCall): ReturnType<Ledger["claim"]>;
  open(): Promise<void>;
  /** Ends as a crash would: the log stays, unlocked. */
  die(): Promise<void>;
}

export interface TestCall {
  readonly itemKey: string;
  readonly run: string;
  readonly now: number;
  readonly effect?: "read" | "mutating";
}

export const DIGEST = "d".repeat(64);
export const DONE: Ending = {
  transition: "commit",
  status: "ok",
  errorClass: null,
  detail: null,
  content: "sealed",
  contentDigest: "c".repeat(64),
  resultBytes: 3,
  durationMs: 4,
};

export interface DurableExecutorOptions {
  readonly url: string;
  readonly folder: string;
  readonly owner: string;
  readonly replicas?: number;
  readonly leaseMs?: number;
}

export const KEYRINGS = createKeyrings();

export async function startDurableExecutor(options: DurableExecutorOptions): Promise<DurableExecutor> {
  const { url, folder, owner, replicas = 0, leaseMs = 60_000 } = options;
  const redis = connectRedis(url, { name: owner, onState: () => undefined });
  const ledger = createLedger(redis);
  const stop = new AbortController();
  const told: ({ event: string } & LogFields)[] = [];
  const log: Log = {
    write: (_level, event, fields) => void told.push({ event, ...fields }),
    decision: () => undefined,
  };
  const durability = await openDurability(
    { redis, keyring: KEYRINGS.executor, log, ledger, owner, leaseMs, pool: "default", signal: stop.signal },
    { mode: "strict", replicas, barrierMs: 200, folder },
  );
  const claim = ({ itemKey, now, effect = "mutating" }: TestCall): ReturnType<Ledger["claim"]> =>
    ledger.claim({
      itemKey,
      owner,
      leaseMs: 60_000,
      knownFence: durability.knownFence(itemKey),
      nonce: null,
      grant: 1,
      digest: DIGEST,
      tool: "write_file",
      effect,
      expiresAt: now + 60_000,
      notAfter: now + 600_000,
    });
  return {
    owner,
    redis,
    ledger,
    durability,
    keyring: KEYRINGS.executor,
    told,
    claim,
    async start(call) {
      const claimed = await claim(call);
      if (claimed.kind !== "claimed") throw new Error(`not claimed: ${claimed.kind}`);
      const { itemKey } = call;
      const { fence } = claimed;
      await durability.begin(itemKey, fence, { expected: null });
      const line = {
        itemKey,
        fence,
        grant: 1,
        digest: DIGEST,
        tool: "write_file",
        effect: "mutating",
        owner,
      } as const;
      await durability.writeAhead.started(line);
      return fence;
    },
    async open() {
      while ((await durability.enter()) === null) await sleep(20);
    },
    async die() {
      stop.abort();
      await durability.close();
      redis.disconnect();
    },
  };
}

/** What a validator's release leaves behind, as far as a ledger looks at it. */
export async function grantCall(redis: Redis, { run, itemKey }: TestCall): Promise<void> {
  await redis.hset(runKeys(run).run, { state: "running" });
  await redis.hset(runKeys(run).call(itemKey), { state: "POLICY_APPROVED", grant: 1 });
}
