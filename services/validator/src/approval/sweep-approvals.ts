// Takes the list of calls that wait for people, gives each a look where something may have happened to it unseen: an answer
// whose promote was lost, a job that is gone, a time that is over.
import { parseItemKey } from "@airlock/core/record";
import { readCall } from "@airlock/core/run";
import { errorFields } from "@airlock/core/runtime";
import { globalKeys, redisNow, runKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { followAnswers, type Reason } from "./follow-answers.ts";

/** How many are looked at in one sweep; the next goes on behind them. */
const BATCH = 200;

/** Where the last sweep of a validator's own list ended. */
const places = new WeakMap<Deps, number>();

export async function sweepApprovals(deps: Deps): Promise<void> {
  const from = places.get(deps) ?? 0;
  const keys = await deps.redis.zrange(globalKeys.approvals, from, String(from + BATCH - 1));
  places.set(deps, keys.length < BATCH ? 0 : from + BATCH);
  for (const itemKey of keys) {
    try {
      await lookAt(deps, itemKey);
    } catch (error) {
      // one whose records can't be read must not keep the sweep from the others
      deps.log.write("warn", "handler_failed", { place: "approvals", itemKey, ...errorFields(error) });
    }
  }
}

/** A removed job is only a reason to look, too: whether it is gone, the queue itself says. */
async function lookAt(deps: Deps, itemKey: string): Promise<void> {
  const found = await reasonToLook(deps, itemKey);
  if (found !== null) await followAnswers(deps, itemKey, found);
}

/** That a job is gone says something about its own question only: by now another one may be asked. */
async function reasonToLook(
  { redis, asks }: Deps,
  itemKey: string,
): Promise<{ readonly why: Reason; readonly nonce: string | null } | null> {
  const swept = { why: "swept", nonce: null } as const;
  const call = await readCall(redis, itemKey);
  if (call?.state !== "AWAITING_APPROVAL" || call.settled !== undefined) return swept;
  if (call.parkedAt === undefined || (await redisNow(redis)) >= (call.approvalUntil ?? 0)) return swept;
  if (!(await asks.exists(`${itemKey}.${call.request}`))) return { why: "removed", nonce: call.nonce ?? "" };
  const answered = await redis.exists(runKeys(parseItemKey(itemKey)?.run ?? "").approval(itemKey));
  return answered === 1 ? swept : null;
}

/** A removal is seen at once where this hears of it; the sweep sees it anyway. */
export function watchRemoved(deps: Deps, signal: AbortSignal): Promise<void> {
  return deps.asks.watchRemoved(signal, (jobId) => {
    const itemKey = jobId.slice(0, jobId.lastIndexOf("."));
    if (parseItemKey(itemKey) === null) return;
    lookAt(deps, itemKey).catch((error: unknown) => {
      if (!signal.aborted)
        deps.log.write("warn", "handler_failed", { place: "approvals", itemKey, ...errorFields(error) });
    });
  });
}
