import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import type { QueueJobJson } from "@bull-board/api/typings/app";
import { Queue } from "bullmq";
import { z } from "zod";
import { queueName, queuePrefix, QUEUES } from "@airlock/core/queue";
import { parseStrictJson } from "@airlock/core/json";
import { namesOf } from "@airlock/core/fault";
import { globalKeys, type Redis } from "@airlock/core/store";

const WHY_READ_ONLY = "Shown only: its jobs belong to the services";
const HOW_TO_ANSWER =
  "Promote approves, remove denies, each in your name; the job's link shows what would run";

/** The name of every queue there is; `executions` has one for each pool that was ever served. */
export async function queueNames(redis: Redis): Promise<readonly string[]> {
  const pools = await redis.smembers(globalKeys.pools);
  return namesOf(QUEUES).flatMap((family) =>
    family === "executions"
      ? pools.toSorted().map((pool) => queueName(family, pool))
      : [queueName(family, "")],
  );
}

/** A queue for Bull Board to show: each job's body without its signature, and only `approvals` with buttons. */
export function boardQueue(redis: Redis, name: string): BullMQAdapter {
  const approvals = name === "approvals";
  const queue = new Queue(name, { connection: redis, prefix: queuePrefix(name), skipMetasUpdate: true });
  queue.on("error", () => undefined); // the connection reports its own state
  const adapter = new BullMQAdapter(queue, {
    readOnlyMode: !approvals,
    allowRetries: false,
    description: approvals ? HOW_TO_ANSWER : WHY_READ_ONLY,
    ...(approvals ? { externalJobUrl: approvalLink } : {}),
  });
  adapter.setFormatter("data", shownData);
  adapter.setFormatter("returnValue", () => null);
  return adapter;
}

const BODY_BYTES = 16_384;

const jobSchema = z.object({
  record: z.object({ purpose: z.string(), keyId: z.string(), body: z.string() }),
});

/** For eyes only: nobody has checked the signature here. */
function shownData(data: unknown): unknown {
  const job = jobSchema.safeParse(data);
  if (!job.success) return { note: "no signed record: no service will take this job" };
  const { purpose, keyId, body } = job.data.record;
  const parsed = parseStrictJson(body, { maxBytes: BODY_BYTES, maxDepth: 16, topLevel: "object" });
  return { purpose, keyId, body: parsed.ok ? parsed.value : "(not JSON)" };
}

function approvalLink({ id }: QueueJobJson): { readonly href: string; readonly displayText: string } {
  const item = String(id ?? "").replace(/\.\d+$/, "");
  return { href: `/approvals/${encodeURIComponent(item)}`, displayText: "What would run" };
}
