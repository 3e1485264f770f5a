// Takes an approved call that waits for nothing, gives a signed grant on the executions queue;
// releases nothing whose decision is over, whose run ended, or that another release was faster with.
import { DONE, type Handled } from "@airlock/core/queue";
import { parseItemKey, signedRecordSchema, type SignedRecord } from "@airlock/core/record";
import { readCall, readRun, type CallHash, type RunPlan } from "@airlock/core/run";
import { redisNow } from "@airlock/core/store";
import type { Deps } from "../deps.ts";

/** Grants a call anew, one number above its last grant. False where it may not be granted. */
export async function releaseCall(deps: Deps, itemKey: string): Promise<boolean> {
  const run = parseItemKey(itemKey)?.run ?? "";
  const [hash, call] = await Promise.all([readRun(deps.redis, run), readCall(deps.redis, itemKey)]);
  if (hash?.plan === undefined || call === null || call.state !== "POLICY_APPROVED") return false;
  const now = await redisNow(deps.redis);
  const record = signGrant(deps, { run, itemKey, call, now }, { plan: hash.plan, policy: hash.policy });
  if (record === null) return false;
  const released = await deps.store.release(itemKey, call.grant, {
    grantRecord: record,
    expiresAt: now + deps.config.grantMs,
  });
  if (released) await deps.publisher.publish(record, { priority: hash.plan.priority });
  return released;
}

/** Publishes the grant that a call holds once more, or a new one where it is over. */
export async function republishCall(deps: Deps, itemKey: string, call: CallHash): Promise<Handled> {
  const now = await redisNow(deps.redis);
  if (call.grantRecord === undefined || (call.expiresAt ?? 0) <= now) {
    await releaseCall(deps, itemKey);
    return DONE;
  }
  await deps.publisher.publish(signedRecordSchema.parse(JSON.parse(call.grantRecord)));
  return DONE;
}

function signGrant(
  deps: Deps,
  call: { readonly run: string; readonly itemKey: string; readonly call: CallHash; readonly now: number },
  run: { readonly plan: RunPlan; readonly policy: string },
): SignedRecord | null {
  const { tool, effect, manifestDigest, argumentsDigest, policyDigest, notAfter, grant } = call.call;
  const { workspace, pool } = run.plan;
  if (effect === undefined || manifestDigest === undefined || argumentsDigest === undefined) return null;
  if (policyDigest === undefined || notAfter === undefined || workspace === null || notAfter <= call.now)
    return null;
  return deps.publisher.sign({
    purpose: "execution",
    body: {
      version: 1,
      run: call.run,
      itemKey: call.itemKey,
      grant: grant + 1,
      tool,
      manifestDigest,
      effect,
      argumentsDigest,
      policy: run.policy,
      policyDigest,
      workspace,
      pool,
      expiresAt: call.now + deps.config.grantMs,
      notAfter,
    },
  });
}
