import { Queue } from "bullmq";
import { parseBody } from "../contract/index.ts";
import { signRecord, type Keyring, type SignedRecord } from "../record/index.ts";
import type { Redis } from "../store/index.ts";
import { addressOf, BODIES, queuePrefix, type Message } from "./contracts.ts";

/** A queue job is a signed record and nothing else; larger ones are refused. */
const MAX_JOB_BYTES = 16_384;

export interface PublishOptions {
  readonly delayMs?: number;
  /** 0 to 10, 10 first */
  readonly priority?: number;
}

export interface Publisher {
  /** Signs a message with the process's own key. */
  sign(message: Message): SignedRecord;
  /**
   * Adds a signed message to its queue under the job id that its body gives. A job that waits or runs under that id
   * makes this a no-op; one that ended left nothing behind, so it can be published again.
   */
  publish(record: SignedRecord, options?: PublishOptions): Promise<void>;
  close(): Promise<void>;
}

/** Signed messages in, queue jobs out. The connection is shared and stays the caller's. */
export function createPublisher(deps: { readonly redis: Redis; readonly keyring: Keyring }): Publisher {
  const queues = new Map<string, Queue>();
  const queueOf = (name: string): Queue => {
    const known = queues.get(name);
    if (known !== undefined) return known;
    const queue = new Queue(name, { connection: deps.redis, prefix: queuePrefix(name) });
    queue.on("error", () => undefined); // the connection reports its own state
    queues.set(name, queue);
    return queue;
  };
  const signed = new WeakMap<SignedRecord, Message>(); // what was just signed needn't be read again
  return {
    sign(message) {
      const body = JSON.stringify(BODIES[message.purpose].parse(message.body));
      const record = signRecord(deps.keyring, message.purpose, body);
      signed.set(record, message);
      return record;
    },
    async publish(record, { delayMs, priority } = {}) {
      const { queue, jobId } = addressOf(signed.get(record) ?? messageOf(record));
      await queueOf(queue).add(
        record.purpose,
        { record },
        {
          jobId,
          attempts: 1,
          removeOnComplete: true,
          removeOnFail: true,
          sizeLimit: MAX_JOB_BYTES,
          ...(delayMs === undefined ? {} : { delay: delayMs }),
          ...(priority === undefined ? {} : { priority: 11 - priority }),
        },
      );
    },
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}

/** Reads a record that this process signed or verified: the body's schema decides what message it is. */
export function messageOf(record: SignedRecord): Message {
  const { purpose } = record;
  if (purpose === "report" || purpose === "approval") throw new TypeError(`no queue takes a ${purpose}`);
  const body = parseBody(BODIES[purpose], record.body);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- purpose and schema come from the same row
  return { purpose, body } as Message;
}
