import { Queue, type JobsOptions } from "bullmq";
import { NOTIFICATIONS, queuePrefix } from "@airlock/core/queue";
import type { NotifyDeps } from "./deps.ts";
import { wants, type NotifiedEvent } from "./event.ts";
import type { Webhook } from "./webhooks.ts";

/**
 * The console's own queue, one part for each webhook: one that hangs holds up no other. Nothing on it decides anything, so
 * its jobs carry no signature.
 */
export function placeOf({ name }: Webhook): { readonly name: string; readonly prefix: string } {
  return { name: `${NOTIFICATIONS}.${name}`, prefix: queuePrefix(NOTIFICATIONS) };
}

const DAY_SECONDS = 86_400;
const KEPT = 20_000;

export interface Deliveries {
  /** Adds a job for each webhook that wants an event; adding the same again changes nothing. */
  add(events: readonly NotifiedEvent[]): Promise<void>;
  close(): Promise<void>;
}

export function createDeliveries({
  redis,
  webhooks,
  config,
}: Pick<NotifyDeps, "redis" | "webhooks"> & {
  readonly config: Pick<NotifyDeps["config"], "webhookAttempts">;
}): Deliveries {
  const queues = webhooks.map((webhook) => {
    const { name, prefix } = placeOf(webhook);
    const queue = new Queue(name, { connection: redis, prefix });
    queue.on("error", () => undefined); // the shared connection reports the outage
    return { webhook, queue };
  });
  const options: JobsOptions = {
    attempts: config.webhookAttempts,
    // how long is the deliverer's to say: the receiver may have named a time
    backoff: { type: "answered" },
    // what was sent stays for a while, so that its id keeps a repeated reading from sending it again
    removeOnComplete: { age: DAY_SECONDS, count: KEPT },
    removeOnFail: { age: DAY_SECONDS, count: KEPT },
    stackTraceLimit: 0,
  };
  return {
    async add(events) {
      for (const { webhook, queue } of queues) {
        const jobs = events
          .filter((event) => wants(webhook, event))
          .map((event) => ({
            name: event.notice.type,
            data: event,
            opts: { ...options, jobId: `${event.id}.${webhook.name}` },
          }));
        if (jobs.length > 0) await queue.addBulk(jobs);
      }
    },
    async close() {
      await Promise.all(queues.map(({ queue }) => queue.close()));
    },
  };
}
