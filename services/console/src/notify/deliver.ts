// Jobs of the console's queue in, signed requests out; what a receiver refuses for good, or too often, ends counted and
// logged with the receiver's host alone.
import { UnrecoverableError, Worker, type Job } from "bullmq";
import { redisNow } from "@airlock/core/store";
import { placeOf } from "./deliveries.ts";
import { OLDEST_MS, type NotifyDeps, type Pace } from "./deps.ts";
import { eventSchema, type NotifiedEvent } from "./event.ts";
import { messageText } from "./message.ts";
import { TryAgain, waitBefore } from "./retry.ts";
import { createSender, type Sender, type Sent } from "./send.ts";
import type { Webhook } from "./webhooks.ts";

const AT_ONCE = 4;

export interface Delivering {
  /** Waits for what is being sent, which its timeout bounds. */
  close(): Promise<void>;
}

export function deliver(deps: NotifyDeps, { lockMs }: Pick<Pace, "lockMs">): Delivering {
  const sender = createSender({ timeoutMs: deps.config.webhookTimeoutMs });
  const workers = deps.webhooks.map((webhook) => {
    const { name, prefix } = placeOf(webhook);
    const connection = deps.redis.duplicate();
    connection.on("error", () => undefined); // the shared connection reports the outage
    const worker = new Worker(name, (job: Job) => attempt(job, { deps, webhook, sender }), {
      connection,
      prefix,
      concurrency: AT_ONCE,
      lockDuration: lockMs,
      stalledInterval: lockMs,
      maxStalledCount: deps.config.webhookAttempts,
      settings: {
        backoffStrategy: (attemptsMade, _type, error) =>
          waitBefore(attemptsMade, deps.config.webhookRetryMs, error),
      },
    });
    worker.on("error", () => undefined);
    return { worker, connection };
  });
  return {
    async close() {
      await Promise.all(workers.map(({ worker }) => worker.close()));
      for (const { connection } of workers) connection.disconnect();
      await sender.close();
    },
  };
}

interface Attempt {
  readonly deps: NotifyDeps;
  readonly webhook: Webhook;
  readonly sender: Sender;
}

async function attempt(job: Job, { deps, webhook, sender }: Attempt): Promise<void> {
  const parsed = eventSchema.safeParse(job.data);
  if (!parsed.success) {
    count({ deps, webhook }, "dead");
    throw new UnrecoverableError("not an event that this build reads");
  }
  const event = parsed.data;
  const attempts = job.attemptsMade + 1;
  const giveUp = (reason: string, told: Told): never => {
    count({ deps, webhook }, "dead");
    tellDead({ deps, webhook }, event, told);
    throw new UnrecoverableError(reason);
  };
  if ((await redisNow(deps.redis)) - Date.parse(event.at) > OLDEST_MS) {
    return giveUp("older than a day", { job, count: job.attemptsMade, status: null });
  }
  const sent = await sender.send(webhook, { id: event.id, text: messageText(event, deps.origin) });
  if (sent.kind === "delivered") return count({ deps, webhook }, "delivered");
  const reason = reasonOf(sent);
  if (sent.kind === "refused" || attempts >= deps.config.webhookAttempts) {
    return giveUp(reason, { job, count: attempts, status: sent.status });
  }
  count({ deps, webhook }, "failed");
  throw new TryAgain(reason, sent.waitMs);
}

type To = Pick<Attempt, "deps" | "webhook">;

function count({ deps, webhook }: To, result: "delivered" | "failed" | "dead"): void {
  deps.metrics.count("airlock_webhook_deliveries_total", { webhook: webhook.name, result });
}

interface Told {
  readonly job: Job;
  readonly count: number;
  readonly status: number | null;
}

function tellDead({ deps, webhook }: To, event: NotifiedEvent, { job, count: attempts, status }: Told): void {
  deps.log.write("warn", "webhook_dead", {
    place: new URL(webhook.url).host,
    action: event.notice.type,
    jobId: job.id ?? "",
    count: attempts,
    ...(status === null ? {} : { status }),
  });
}

function reasonOf({ status }: Sent): string {
  return status === null ? "nobody answered in time" : `answered ${status}`;
}
