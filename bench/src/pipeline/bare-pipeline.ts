import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Queue } from "bullmq";
import { Redis } from "ioredis";

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
  /** Sends jobs through, so many at once; gives how long each took in milliseconds. */
  play(jobs: number, atOnce: number): Promise<readonly number[]>;
  close(): Promise<void>;
}

export async function startBarePipeline(url: string): Promise<BarePipeline> {
  const roles = [...new Set(STAGES.map(({ by }) => by))];
  const children = await Promise.all(roles.map((role) => startStage(role, url)));
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
    async play(jobs, atOnce) {
      const times: number[] = [];
      let added = 0;
      for (; added < Math.min(atOnce, jobs); added += 1) await add();
      while (times.length < jobs) {
        const answer = await done.blpop(DONE_KEY, 0);
        times.push(Number(answer?.[1]));
        if (added < jobs) {
          added += 1;
          await add();
        }
      }
      return times;
    },
    async close() {
      await first.close();
      redis.disconnect();
      done.disconnect();
      for (const child of children) child.kill("SIGKILL");
    },
  };
}

async function startStage(role: string, url: string): Promise<ChildProcess> {
  const file = fileURLToPath(new URL("bare-stage.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", file, role, url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}
