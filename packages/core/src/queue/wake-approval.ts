import { Queue } from "bullmq";
import type { AskBody } from "../contract/index.ts";
import type { Redis } from "../store/index.ts";
import { addressOf, queuePrefix } from "./contracts.ts";

/**
 * Promotes the job of a question, so that the validator looks at the answers now. It decides nothing: the sweep finds them
 * as well where this is lost, or where the job is on its way already.
 */
export async function wakeApproval(redis: Redis, ask: AskBody): Promise<void> {
  const { queue: name, jobId } = addressOf({ purpose: "ask", body: ask });
  const queue = new Queue(name, { connection: redis, prefix: queuePrefix(name), skipMetasUpdate: true });
  try {
    const job = await queue.getJob(jobId);
    // between the look and the promote it may have been promoted by somebody else
    await job?.promote().catch(() => undefined);
  } finally {
    await queue.close();
  }
}
