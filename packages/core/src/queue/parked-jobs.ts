import { Queue, QueueEvents } from "bullmq";
import type { Redis } from "../store/index.ts";
import { queuePrefix, type QueueFamily } from "./contracts.ts";

/** The jobs of a queue on which jobs wait for people rather than for a consumer. */
export interface ParkedJobs {
  exists(jobId: string): Promise<boolean>;
  /** Takes a job away that nobody has to look at any more; one that is being worked on stays. */
  remove(jobId: string): Promise<void>;
  /** Calls back with the id of each job that somebody removes from now on, until the signal aborts. */
  watchRemoved(signal: AbortSignal, onRemoved: (jobId: string) => void): Promise<void>;
  close(): Promise<void>;
}

/** The connection is shared and stays the caller's. */
export function parkedJobs(redis: Redis, family: Exclude<QueueFamily, "executions">): ParkedJobs {
  const place = { connection: redis, prefix: queuePrefix(family) };
  const queue = new Queue(family, place);
  queue.on("error", () => undefined); // the connection reports its own state
  return {
    exists: async (jobId) => (await queue.getJob(jobId)) !== undefined,
    async remove(jobId) {
      const job = await queue.getJob(jobId);
      // a consumer has it in hand, and it ends there
      await job?.remove().catch(() => undefined);
    },
    async watchRemoved(signal, onRemoved) {
      const connection = redis.duplicate(); // it reads blocking
      connection.on("error", () => undefined); // the shared connection reports the outage
      const events = new QueueEvents(family, { ...place, connection, autorun: false });
      events.on("error", () => undefined);
      events.on("removed", ({ jobId }) => onRemoved(jobId));
      const stop = async (): Promise<void> => {
        await events.close().catch(() => undefined);
        connection.disconnect();
      };
      signal.addEventListener("abort", () => void stop(), { once: true });
      await events.run().catch(() => undefined); // it ends with its connection, which the signal has closed
    },
    close: () => queue.close(),
  };
}
