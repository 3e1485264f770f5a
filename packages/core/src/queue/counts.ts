import { Queue } from "bullmq";
import type { Redis } from "../store/index.ts";
import { queuePrefix } from "./contracts.ts";

export interface QueueCount {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
}

/** What waits (delayed jobs too) and what is worked on, in each of the named queues. */
export async function countQueues(redis: Redis, names: readonly string[]): Promise<readonly QueueCount[]> {
  return Promise.all(
    names.map(async (name) => {
      const queue = new Queue(name, { connection: redis, prefix: queuePrefix(name), skipMetasUpdate: true });
      const counts = await queue.getJobCounts("wait", "prioritized", "delayed", "active");
      await queue.close();
      const { wait = 0, prioritized = 0, delayed = 0, active = 0 } = counts;
      return { queue: name, waiting: wait + prioritized + delayed, active };
    }),
  );
}
