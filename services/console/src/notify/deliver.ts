// Jobs of the console's queue in, signed requests out; what a receiver refuses for good, or too often, ends counted and
// logged with the receiver's host alone.
import { UnrecoverableError, Worker, type Job } from "bullmq";
import { placeOf } from "./deliveries.ts";
import type { NotifyDeps, Pace } from "./deps.ts";
import { eventSchema } from "./event.ts";
import { messageText } from "./message.ts";
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
  if (!parsed.success) throw new UnrecoverableError("not an event that this build reads");
  const event = parsed.data;
  const sent = await sender.send(webhook, { id: event.id, text: messageText(event, deps.origin) });
  const attempts = job.attemptsMade + 1;
  const dead = sent.kind === "refused" || (sent.kind === "failed" && attempts >= deps.config.webhookAttempts);
  const result = dead ? "dead" : sent.kind;
  deps.metrics.count("airlock_webhook_deliveries_total", { webhook: webhook.name, result });
  if (sent.kind === "delivered") return;
  const reason = reasonOf(sent);
  if (!dead) throw new Error(reason);
  deps.log.write("warn", "webhook_dead", {
    place: new URL(webhook.url).host,
    action: event.notice.type,
    jobId: job.id ?? "",
    count: attempts,
    ...(sent.status === null ? {} : { status: sent.status }),
  });
  throw new UnrecoverableError(reason);
}

function reasonOf({ status }: Sent): string {
  return status === null ? "nobody answered in time" : `answered ${status}`;
}
