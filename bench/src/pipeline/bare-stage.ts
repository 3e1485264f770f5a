/** One process of the bare pipeline: takes jobs of its queues, adds each to the next queue, and does nothing else. */
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { DONE_KEY, STAGES } from "./bare-pipeline.ts";

const [role = "", url = ""] = process.argv.slice(2);
const redis = new Redis(url, { maxRetriesPerRequest: null });
const prefixOf = (queue: string): string => `{bare:${queue}}`;
const kept = { removeOnComplete: true, removeOnFail: true };

for (const { queue, next, by } of STAGES.filter((stage) => stage.by === role)) {
  const following = next === null ? null : new Queue(next, { connection: redis, prefix: prefixOf(next) });
  const worker = new Worker<{ readonly body: string; readonly addedAt: number }>(
    queue,
    async ({ data, id }) => {
      if (following !== null) await following.add(by, data, { jobId: id ?? "", ...kept });
      else await redis.rpush(DONE_KEY, Date.now() - data.addedAt);
    },
    {
      connection: redis.duplicate(),
      prefix: prefixOf(queue),
      concurrency: 16,
      removeOnComplete: { count: 0 },
    },
  );
  await worker.waitUntilReady();
}
process.stdout.write("ready\n");
