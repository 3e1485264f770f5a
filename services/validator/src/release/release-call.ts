// Takes an approved call that waits for nothing, gives a signed grant on the executions queue;
// releases nothing whose decision is over, whose run ended, or that another release was faster with.
import { parseItemKey, signedRecordSchema, type SignedRecord } from "@airlock/core/record";
import { readCall, readRun, type CallHash, type RunPlan } from "@airlock/core/run";
import { redisNow } from "@airlock/core/store";
import type { Deps } from "../deps.ts";

/** `over`: the decision holds no more, so nobody can grant it; `passed`: it isn't this caller's to grant. */
export type ReleaseAnswer = "released" | "over" | "passed";

/** Grants a call, one number above its last grant: only if that is the one that the caller knows of. */
export async function releaseCall(deps: Deps, itemKey: string, lastGrant: number): Promise<ReleaseAnswer> {
  const run = parseItemKey(itemKey)?.run ?? "";
  const [hash, call] = await Promise.all([readRun(deps.redis, run), readCall(deps.redis, itemKey)]);
  if (hash?.plan === undefined || call === null || call.state !== "POLICY_APPROVED") return "passed";
  if (call.grant !== lastGrant || call.settled !== undefined) return "passed";
  const now = await redisNow(deps.redis);
  const record = signGrant(deps, { run, itemKey, call, now }, { plan: hash.plan, policy: hash.policy });
  if (record === null) return "over";
  const released = await deps.store.release(itemKey, lastGrant, {
    grantRecord: record,
    expiresAt: now + deps.config.grantMs,
  });
  if (!released) return "passed";
  await deps.publisher.publish(record, { priority: hash.plan.priority });
  return "released";
}

/**
 * Publishes the grant that a call holds once more, or a new one where it is over. Where the decision is over as well,
 * the old one goes out again: the executor knows what became of the call, and says so.
 */
export async function republishCall(deps: Deps, itemKey: string, call: CallHash): Promise<void> {
  const live = (call.expiresAt ?? 0) > (await redisNow(deps.redis));
  if (!live && (await releaseCall(deps, itemKey, call.grant)) !== "over") return;
  if (call.grantRecord === undefined) return;
  await deps.publisher.publish(signedRecordSchema.parse(JSON.parse(call.grantRecord)));
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
