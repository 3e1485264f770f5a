import { createLedger } from "@airlock/core/ledger";
import { newRunId } from "@airlock/core/record";
import { redisNow, runKeys, type Redis } from "@airlock/core/store";
import { Queue, Worker } from "bullmq";

/** How long one of each took, in milliseconds. */
export interface Hop {
  once(): Promise<number>;
  close(): Promise<void>;
}

const DIGEST = "0".repeat(64);
const RESULT = "x".repeat(1_024);

/** What the ledger adds to a call with effects: claim, begin, commit of 1 KB. */
export function ledgerCall(redis: Redis): Hop {
  const ledger = createLedger(redis);
  const run = newRunId();
  const keys = runKeys(run);
  let ordinal = 0;
  return {
    async once() {
      const itemKey = `${run}.1.1.${ordinal}`;
      ordinal += 1;
      await redis.hset(keys.run, { state: "running" });
      await redis.hset(keys.call(itemKey), { state: "POLICY_APPROVED", grant: 1 });
      const until = (await redisNow(redis)) + 60_000;
      const started = performance.now();
      const claimed = await ledger.claim({
        itemKey,
        owner: "bench",
        leaseMs: 30_000,
        knownFence: 0,
        nonce: null,
        grant: 1,
        digest: DIGEST,
        tool: "write_file",
        effect: "mutating",
        expiresAt: until,
        notAfter: until,
      });
      if (claimed.kind !== "claimed") throw new Error(`the call is ${claimed.kind}`);
      await ledger.begin(itemKey, claimed.fence, { expected: null });
      const kept = { content: RESULT, contentDigest: DIGEST, resultBytes: 1_024, durationMs: 1 };
      const ending = { ...kept, transition: "commit", status: "ok", errorClass: null, detail: null } as const;
      await ledger.end(itemKey, claimed.fence, ending);
      return performance.now() - started;
    },
    close: () => Promise.resolve(),
  };
}

/** BullMQ alone: a job of 1 KB from its adding to its handler. */
export async function bareHop(redis: Redis): Promise<Hop> {
  const at = { connection: redis, prefix: "{bare:hop}" };
  const queue = new Queue("hop", at);
  const waiting = new Map<string, () => void>();
  const take = ({ id = "" }: { readonly id?: string | undefined }) => Promise.resolve(waiting.get(id)?.());
  const connection = redis.duplicate();
  const worker = new Worker("hop", take, {
    ...at,
    connection,
    removeOnComplete: { count: 0 },
  });
  await worker.waitUntilReady();
  let number = 0;
  return {
    async once() {
      number += 1;
      const jobId = `hop-${number}`;
      const started = performance.now();
      const taken = new Promise<void>((resolve) => waiting.set(jobId, resolve));
      await queue.add("hop", { body: RESULT }, { jobId, removeOnComplete: true, removeOnFail: true });
      await taken;
      waiting.delete(jobId);
      return performance.now() - started;
    },
    async close() {
      await worker.close();
      await queue.close();
      connection.disconnect();
    },
  };
}
