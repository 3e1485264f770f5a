// Takes an approved call that waits for nothing, gives a signed grant on the executions queue; it decides once more
// from signed records before it signs, so that a call's record in Redis can hold a call back but never set it free.
import { AirlockError } from "@airlock/core/fault";
import { ownCallOf, parseItemKey, signedRecordSchema, type SignedRecord } from "@airlock/core/record";
import { joinPool, readCall, type CallHash } from "@airlock/core/run";
import { errorFields } from "@airlock/core/runtime";
import { redisNow } from "@airlock/core/store";
import { isHostedTool } from "@airlock/core/tool";
import { judgeOwnCall } from "../artifact/judge-own-call.ts";
import { approvalOf, type GrantedApproval } from "../approval/approval-of.ts";
import { askingOf } from "../approval/asking-of.ts";
import type { Deps } from "../deps.ts";
import { bindRun } from "../pool/bind-run.ts";
import { judgeStored } from "../verdict/judge-item.ts";
import type { AdmittedRun, Decided, Grantable, Judgement } from "../verdict/judgement.ts";
import { admittedRun } from "./admitted-run.ts";

/**
 * `over`: the decision holds no more; `refused`: decided again, the call may not run, or nobody can say any more;
 * `asks`: decided again, people have to approve it first, and have not; `passed`: it isn't this caller's to grant;
 * `answered`: people approved what its provider runs, so there is nothing to grant.
 */
export type ReleaseAnswer =
  | { readonly kind: "released" | "over" | "passed" | "answered" }
  | { readonly kind: "refused" | "asks"; readonly decided: Decided };

const UNDECIDED = { grantable: null, askable: null, decided: {} } as const;

/** What a call is decided to be when it is decided again. */
export type Judged = Pick<Judgement, "grantable" | "askable" | "decided">;

/**
 * Grants a call, one number above its last grant: only if that is the one that the caller knows of. `admitted` is the
 * caller's own reading of the run, held against its spec; what was judged on it isn't judged again. `call`: its reading of
 * the call, which the write compares with what stands there then.
 */
export async function releaseCall(
  deps: Deps,
  itemKey: string,
  {
    lastGrant,
    delayMs = 0,
    admitted,
    call: known,
  }: {
    readonly lastGrant: number;
    readonly delayMs?: number;
    readonly admitted?: AdmittedRun | undefined;
    readonly call?: CallHash;
  },
): Promise<ReleaseAnswer> {
  const [run, call] = await Promise.all([
    admitted ?? admittedRun(deps, parseItemKey(itemKey)?.run ?? ""),
    known ?? readCall(deps.redis, itemKey),
  ]);
  if (run === null || call === null || call.state !== "POLICY_APPROVED") return { kind: "passed" };
  if (call.grant !== lastGrant || call.settled !== undefined) return { kind: "passed" };
  const now = await redisNow(deps.redis);
  if ((call.notAfter ?? 0) <= now) return { kind: "over" };
  const judged = await decideAgain(deps, run, itemKey);
  const { decided } = judged;
  const asking = askingOf(deps, run, { call, judged });
  const approval = asking === null ? null : await approvalOf(deps, { itemKey, run, call }, asking);
  if (asking !== null && approval === null) return { kind: "asks", decided };
  const grantable = asking?.grantable ?? judged.grantable;
  if (approval !== null && grantable !== null && isHostedTool(grantable.tool)) return { kind: "answered" };
  const { workspace } = run.plan;
  const turn = parseItemKey(itemKey);
  if (grantable === null || workspace === null || turn === null) return { kind: "refused", decided };
  const pool = await bindRun(deps, turn, run);
  if (pool === null) return { kind: "passed" };
  const record = signGrant(deps, { run, workspace, pool }, { itemKey, call, now, grantable, approval });
  const fields = { ...decided, grantRecord: record, expiresAt: now + deps.config.grantMs };
  const [released] = await Promise.all([
    deps.store.release(itemKey, lastGrant, fields),
    joinPool(deps.redis, turn.run, pool),
  ]);
  if (!released) return { kind: "passed" };
  await deps.publisher.publish(record, { priority: run.plan.priority, ...(delayMs > 0 ? { delayMs } : {}) });
  return { kind: "released" };
}

/** Nothing to grant where the call may not run; nothing decided either where what it was decided on was edited since. */
export async function decideAgain(deps: Deps, run: AdmittedRun, itemKey: string): Promise<Judged> {
  try {
    const judged =
      ownCallOf(itemKey) === null
        ? await judgeStored(deps, run, itemKey)
        : await judgeOwnCall(deps, run, itemKey);
    return judged?.judgement ?? UNDECIDED;
  } catch (error) {
    if (!(error instanceof AirlockError) || error.retry !== "never") throw error;
    deps.log.write("warn", "call_refused", { itemKey, ...errorFields(error) });
    return UNDECIDED;
  }
}

/**
 * Publishes the grant that a call holds once more, or a new one where it is over. Where there can be no new one,
 * the old one goes out again: the executor knows what became of the call, and says so.
 */
export async function republishCall(deps: Deps, itemKey: string, call: CallHash): Promise<void> {
  const live = (call.expiresAt ?? 0) > (await redisNow(deps.redis));
  const answer = live ? null : await releaseCall(deps, itemKey, { lastGrant: call.grant });
  if (answer?.kind !== "released" && answer?.kind !== "passed") await publishAgain(deps, call);
}

/** Publishes the last grant of a call as it is. */
export async function publishAgain(deps: Deps, { grantRecord }: CallHash): Promise<void> {
  if (grantRecord === undefined) return;
  await deps.publisher.publish(signedRecordSchema.parse(JSON.parse(grantRecord)));
}

/** `place`: the run, and where its calls run. */
export function signGrant(
  deps: Deps,
  place: {
    readonly run: AdmittedRun;
    readonly workspace: NonNullable<AdmittedRun["plan"]["workspace"]>;
    readonly pool: string;
  },
  granted: {
    readonly itemKey: string;
    readonly call: CallHash;
    readonly now: number;
    readonly grantable: Grantable;
    readonly approval: GrantedApproval | null;
  },
): SignedRecord {
  const { run, workspace, pool } = place;
  const { itemKey, call, now, grantable, approval } = granted;
  return deps.publisher.sign({
    purpose: "execution",
    body: {
      version: 1,
      run: parseItemKey(itemKey)?.run ?? "",
      itemKey,
      grant: call.grant + 1,
      ...grantable,
      policy: run.policy,
      workspace,
      pool,
      expiresAt: now + deps.config.grantMs,
      notAfter: Math.min(call.notAfter ?? 0, now + deps.config.decisionMs),
      ...(call.repeats === undefined ? {} : { repeats: call.repeats }),
      ...(approval === null ? {} : { approval }),
    },
  });
}
