import { sendNotice } from "@airlock/core/queue";
import type { CallHash } from "@airlock/core/run";
import { globalKeys } from "@airlock/core/store";
import { parseItemKey } from "@airlock/core/record";
import type { Deps } from "../deps.ts";

/**
 * Tells of the end of a question and takes it off the list: in that order, so that what is on the list was not told of
 * yet, and a crash in between tells twice. Its job goes with it.
 */
export async function closeQuestion(
  { redis, asks, metrics }: Pick<Deps, "redis" | "asks" | "metrics">,
  itemKey: string,
  call: CallHash | null,
): Promise<void> {
  if ((await redis.zscore(globalKeys.approvals, itemKey)) === null) return;
  const decided = call === null ? null : decisionOf(call);
  if (call !== null && decided !== null) {
    const run = parseItemKey(itemKey)?.run ?? "";
    metrics.count("airlock_approvals_decided_total", { answer: decided.answer });
    await sendNotice(redis, { type: "approval_decided", run, itemKey, tool: call.tool, ...decided });
  }
  await redis.zrem(globalKeys.approvals, itemKey);
  if (call !== null) await asks.remove(`${itemKey}.${call.request}`);
}

/** A call that its run's end took along was not decided on. */
function decisionOf(
  call: CallHash,
): { readonly answer: "approved" | "denied" | "expired"; readonly by: string[] } | null {
  if (call.settled === "EXPIRED" && call.errorClass === "APPROVAL_EXPIRED")
    return { answer: "expired", by: [] };
  if (call.errorClass === "APPROVAL_REMOVED") return { answer: "denied", by: [] };
  if (call.deniedBy !== undefined) return { answer: "denied", by: [call.deniedBy] };
  return call.approvers === undefined ? null : { answer: "approved", by: call.approvers };
}
