import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import { queuePrefix } from "@airlock/core/queue";
import { PURPOSES, signRecord, type Keyring, type Purpose, type SignedRecord } from "@airlock/core/record";
import type { Cell, ProcessName } from "./cell.ts";

/** What one who can write to Redis, and holds one role's key, can do to a cell. */
export interface Forger {
  /** Adds a job as any queue UI could. */
  add(queue: string, jobId: string, record: unknown): Promise<void>;
  /** Takes a job away. */
  remove(queue: string, jobId: string): Promise<void>;
  /** Adds a job and waits until its consumer has refused it. */
  refused(queue: string, jobId: string, record: unknown): Promise<void>;
  close(): Promise<void>;
}

const CONSUMERS: Readonly<Record<string, ProcessName>> = {
  commands: "validator",
  turns: "streamer",
  items: "validator",
  results: "validator",
  "executions.default": "executor",
};

export function createForger(cell: Cell): Forger {
  const queues = new Map<string, Queue>();
  const queueOf = (name: string): Queue => {
    const queue = queues.get(name) ?? new Queue(name, { connection: cell.redis, prefix: queuePrefix(name) });
    queues.set(name, queue);
    return queue;
  };
  async function add(queue: string, jobId: string, record: unknown): Promise<void> {
    await queueOf(queue).add("forged", { record }, { jobId });
  }
  return {
    add,
    async remove(queue, jobId) {
      await queueOf(queue).remove(jobId);
    },
    async refused(queue, jobId, record) {
      const service = CONSUMERS[queue] ?? "executor";
      const before = await refusals(cell, service, jobId);
      await add(queue, jobId, record);
      await until(`${queue} to refuse ${jobId}`, async () => (await refusals(cell, service, jobId)) > before);
    },
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}

/** How often a service has written that it refused a job of this id. */
async function refusals(cell: Cell, service: ProcessName, jobId: string): Promise<number> {
  const lines = (await cell.logOf(service)).split("\n");
  return lines.filter(
    (line) => line.includes('"event":"record_refused"') && line.includes(`"jobId":"${jobId}"`),
  ).length;
}

/** A record of any purpose, made with the key of a role that may not sign it. */
export function signAs(keyring: Keyring, purpose: Purpose, body: unknown): SignedRecord {
  return signRecord({ ...keyring, role: PURPOSES[purpose][0] }, purpose, JSON.stringify(body));
}

export async function until(what: string, holds: () => Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    if (await holds()) return;
    await sleep(20);
  }
  throw new Error(`waited in vain for ${what}`);
}
