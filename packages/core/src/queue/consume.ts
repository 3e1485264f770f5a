import { DelayedError, Worker, type Job } from "bullmq";
import { z } from "zod";
import { AirlockError } from "../fault/index.ts";
import { signedRecordSchema, verifySigned, type Keyring, type SignedRecord } from "../record/index.ts";
import type { Redis } from "../store/index.ts";
import {
  addressOf,
  QUEUES,
  queueName,
  queuePrefix,
  type BodyOf,
  type Message,
  type MessagePurpose,
  type QueueFamily,
} from "./contracts.ts";
import { messageOf } from "./publish.ts";

/** What a handler says when it is through: the job is done, or comes back after a while. */
export type Handled = { readonly kind: "done" } | { readonly kind: "later"; readonly delayMs: number };
export const DONE: Handled = { kind: "done" };

export interface Delivery<P extends MessagePurpose> {
  readonly body: BodyOf<P>;
  readonly record: SignedRecord;
  /** aborted when the job's lock is lost or the service stops */
  readonly signal: AbortSignal;
}

/** One handler for every purpose that travels on the queue. */
export type Handlers<F extends QueueFamily> = {
  readonly [P in (typeof QUEUES)[F]["purposes"][number] & MessagePurpose]: (
    delivery: Delivery<P>,
  ) => Promise<Handled>;
};

export type ConsumeEvent =
  | {
      readonly type: "record_refused";
      readonly queue: string;
      readonly jobId: string;
      readonly error: AirlockError;
    }
  | {
      readonly type: "handler_failed";
      readonly queue: string;
      readonly jobId: string;
      readonly error: unknown;
    }
  | { readonly type: "handled"; readonly queue: string; readonly durationMs: number };

export interface ConsumeOptions {
  readonly pool: string;
  readonly concurrency: number;
  readonly lockMs: number;
  readonly stalledMs: number;
  readonly onEvent: (event: ConsumeEvent) => void;
}

export interface Consumer {
  /** true while the connection on which it waits for jobs is up */
  ready(): boolean;
  /** Stops taking work and waits for what runs; after `graceMs` its signals are aborted. */
  close(graceMs: number): Promise<void>;
}

const jobDataSchema = z.strictObject({ record: signedRecordSchema });

/**
 * Queue jobs in, verified messages to their handler out. Refuses, and removes, every job whose record has a wrong
 * signature or body, or lies in another queue or under another id than its body gives.
 */
export function consume<F extends QueueFamily>(
  deps: { readonly redis: Redis; readonly keyring: Keyring },
  queue: { readonly family: F; readonly handlers: Handlers<F> },
  options: ConsumeOptions,
): Consumer {
  const name = queueName(queue.family, options.pool);
  const worker = new Worker(
    name,
    // BullMQ hands out an abort signal only to a processor with three plain parameters
    async (job: Job, token: string | undefined, signal: AbortSignal | undefined) => {
      const started = performance.now();
      // options lie outside the signature: a job that asks to be kept would swallow the next one of its id
      Object.assign(job.opts, { removeOnComplete: true, removeOnFail: true });
      const message = receive(
        { keyring: deps.keyring, family: queue.family, name, onEvent: options.onEvent },
        job,
      );
      if (message === null) return;
      const handled = await handle(queue.handlers, message, { job, signal, name, onEvent: options.onEvent });
      options.onEvent({ type: "handled", queue: name, durationMs: Math.round(performance.now() - started) });
      if (handled.kind === "done") return;
      await job.moveToDelayed(Date.now() + handled.delayMs, token);
      throw new DelayedError();
    },
    {
      connection: deps.redis, // BullMQ waits for jobs on a connection of its own
      prefix: queuePrefix(name),
      concurrency: options.concurrency,
      lockDuration: options.lockMs,
      stalledInterval: options.stalledMs,
      maxStalledCount: Number.MAX_SAFE_INTEGER, // the ledger and the attempt decide what a redelivery means, not the queue
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
  );
  worker.on("error", (error) => {
    // an outage is reported by the shared connection; what is left is a job that can't even be read
    if (deps.redis.status === "ready")
      options.onEvent({ type: "handler_failed", queue: name, jobId: "", error });
  });
  worker.on("lockRenewalFailed", (jobIds: string[]) => {
    for (const jobId of jobIds) worker.cancelJob(jobId, "the lock was lost");
  });
  return consumerOf(worker);
}

function consumerOf(worker: Worker): Consumer {
  let waiting: { readonly status: string } | undefined;
  void worker.getBackend().blockingClient?.then(
    (client) => (waiting = client),
    () => undefined, // the shared connection reports the outage
  );
  return {
    ready: () => waiting?.status === "ready",
    async close(graceMs) {
      const closing = worker.close();
      const timer = setTimeout(() => worker.cancelAllJobs("the service stops"), graceMs);
      await closing.finally(() => clearTimeout(timer));
    },
  };
}

interface Receiving {
  readonly keyring: Keyring;
  readonly family: QueueFamily;
  readonly name: string;
  readonly onEvent: ConsumeOptions["onEvent"];
}

function receive(
  { keyring, family, name, onEvent }: Receiving,
  job: Job,
): { readonly message: Message; readonly record: SignedRecord } | null {
  try {
    const data = jobDataSchema.safeParse(job.data);
    if (!data.success) throw new AirlockError("RECORD_INVALID", "the job holds no signed record");
    const { record } = data.data;
    const purpose = QUEUES[family].purposes.find((known) => known === record.purpose);
    if (purpose === undefined) {
      throw new AirlockError("RECORD_INVALID", `a ${record.purpose} record does not belong on this queue`);
    }
    verifySigned(keyring, purpose, record);
    const message = messageOf(record);
    const address = addressOf(message);
    if (address.queue !== name || address.jobId !== job.id) {
      throw new AirlockError("RECORD_INVALID", "the record lies in another place than its body names");
    }
    return { message, record };
  } catch (error) {
    if (!(error instanceof AirlockError)) throw error;
    onEvent({ type: "record_refused", queue: name, jobId: job.id ?? "", error });
    return null;
  }
}

async function handle<F extends QueueFamily>(
  handlers: Handlers<F>,
  { message, record }: { readonly message: Message; readonly record: SignedRecord },
  context: {
    readonly job: Job;
    readonly signal: AbortSignal | undefined;
    readonly name: string;
    readonly onEvent: ConsumeOptions["onEvent"];
  },
): Promise<Handled> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- purpose and handler come from the same row
  const handler = handlers[message.purpose as keyof typeof handlers] as (
    delivery: unknown,
  ) => Promise<Handled>;
  const signal = context.signal ?? new AbortController().signal;
  try {
    return await handler({ body: message.body, record, signal });
  } catch (error) {
    const { job, name, onEvent } = context;
    onEvent({ type: "handler_failed", queue: name, jobId: job.id ?? "", error });
    return { kind: "later", delayMs: Math.min(250 * 2 ** Math.min(job.attemptsStarted, 7), 30_000) };
  }
}
