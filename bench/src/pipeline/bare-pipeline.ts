import { Queue } from "bullmq";
import { Redis } from "ioredis";
import type { Passed } from "./measured.ts";
import { startProcess } from "./start-process.ts";

/** The hops of one turn, as the services make them, and the process that takes each. */
export const STAGES = [
  { queue: "turns", by: "streamer", next: "items" },
  { queue: "items", by: "validator", next: "executions" },
  { queue: "executions", by: "executor", next: "results" },
  { queue: "results", by: "validator", next: null },
] as const;

export const DONE_KEY = "bare:done";

/** BullMQ alone, on the same Redis, in as many processes, with as many hops, and 1 KB in each job. */
export interface BarePipeline {
  /** its processes */
  readonly pids: readonly number[];
  /** Sends jobs through, so many at once; gives how long each took in milliseconds, and when it was through. */
  play(jobs: number, atOnce: number): Promise<readonly Passed[]>;
  close(): Promise<void>;
}

export async function startBarePipeline(url: string): Promise<BarePipeline> {
  const roles = [...new Set(STAGES.map(({ by }) => by))];
  const children = (await Promise.all(roles.map((role) => startProcess("bare-stage.ts", [role, url])))).map(
    ({ child }) => child,
  );
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  const first = new Queue(STAGES[0].queue, { connection: redis, prefix: `{bare:${STAGES[0].queue}}` });
  let number = 0;
  const add = async (): Promise<void> => {
    number += 1;
    const data = { body: "x".repeat(1_024), addedAt: Date.now() };
    await first.add("turn", data, { jobId: `bare-${number}`, removeOnComplete: true, removeOnFail: true });
  };
  const done = redis.duplicate();
  return {
    pids: children.map(({ pid = 0 }) => pid),
    async play(jobs, atOnce) {
      const passed: Passed[] = [];
      let added = 0;
      for (; added < Math.min(atOnce, jobs); added += 1) await add();
      while (passed.length < jobs) {
        const answer = await done.blpop(DONE_KEY, 0);
        passed.push({ tookMs: Number(answer?.[1]), at: Date.now() });
        if (added < jobs) {
          added += 1;
          await add();
        }
      }
      return passed;
    },
    async close() {
      await first.close();
      redis.disconnect();
      done.disconnect();
      for (const child of children) child.kill("SIGKILL");
    },
  };
}
