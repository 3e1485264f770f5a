import { newRunId } from "@airlock/core/record";
import { runKeys } from "@airlock/core/store";
import type { Redis } from "ioredis";

const CALLS_PER_RUN = 100;

/** Fills Redis with the records of calls that are over, as earlier runs leave them. */
export async function storeCalls(redis: Redis, calls: number): Promise<void> {
  for (let stored = 0; stored < calls; stored += CALLS_PER_RUN) {
    const run = newRunId();
    const keys = runKeys(run);
    const pipeline = redis.pipeline();
    for (let ordinal = 0; ordinal < CALLS_PER_RUN; ordinal += 1) {
      const itemKey = `${run}.1.1.${ordinal}`;
      const common = { tool: "read_file", effect: "read", digest: "0".repeat(64), grant: 1 };
      pipeline.hset(keys.call(itemKey), {
        ...common,
        state: "POLICY_APPROVED",
        settled: "EXECUTED",
        callId: "c",
      });
      pipeline.hset(keys.ledger(itemKey), {
        ...common,
        state: "EXECUTED",
        fence: 1,
        owner: "past",
        leaseUntil: 0,
      });
    }
    await pipeline.exec();
  }
}
