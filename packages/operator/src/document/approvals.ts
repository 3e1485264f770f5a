// The list of calls that wait for people in, the questions about them out, and of one of them what it would do;
// refuses what the validator did not sign, or no longer asks.
import { judgeAnswers, readAnswers } from "@airlock/core/approval";
import { askBodySchema, parseBody, type AskBody } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { parseItemKey, verifyRecord } from "@airlock/core/record";
import { readCall, readRun, type CallHash } from "@airlock/core/run";
import { globalKeys, redisNow } from "@airlock/core/store";
import type { Access } from "../access.ts";
import type { ApprovalDocument, ApprovalEntry } from "./approval-schemas.ts";
import { evidenceOf } from "./approval-evidence.ts";

/** A call that waits, and the verified question about it. */
export interface Asked {
  readonly call: CallHash;
  readonly ask: AskBody;
}

/** The soonest to expire first. */
export async function listApprovals(access: Access): Promise<readonly ApprovalEntry[]> {
  const now = await redisNow(access.redis);
  const keys = await access.redis.zrangebyscore(globalKeys.approvals, now, "+inf");
  const found = await Promise.all(keys.map((itemKey) => readAsked(access, itemKey)));
  const entries = await Promise.all(
    found.flatMap((asked) => (asked === null ? [] : [entryOf(access, asked)])),
  );
  return entries.filter((entry) => entry !== null);
}

/** Throws RUN_NOT_FOUND for a call that does not wait for anybody. */
export async function readApproval(access: Access, itemKey: string): Promise<ApprovalDocument> {
  const asked = await readAsked(access, itemKey);
  const entry = asked === null ? null : await entryOf(access, asked);
  if (asked === null || entry === null) {
    throw new AirlockError(
      "RUN_NOT_FOUND",
      `no call ${itemKey} waits for an approval; \`airlock approvals\` lists those that do`,
    );
  }
  return { ...entry, evidence: await evidenceOf(access, asked) };
}

/** The question about a call as its validator signed it; null where it does not wait, or the record is not to be trusted. */
export async function readAsked({ redis, keyring }: Access, itemKey: string): Promise<Asked | null> {
  if (parseItemKey(itemKey) === null) return null;
  // one call whose record is broken may not hide all others that wait
  try {
    const call = await readCall(redis, itemKey);
    if (call?.state !== "AWAITING_APPROVAL" || call.settled !== undefined || call.askRecord === undefined)
      return null;
    const ask = parseBody(askBodySchema, verifyRecord(keyring, "ask", JSON.parse(call.askRecord)));
    return ask.itemKey === itemKey && ask.nonce === call.nonce ? { call, ask } : null;
  } catch (error) {
    if (error instanceof AirlockError || error instanceof SyntaxError) return null;
    throw error;
  }
}

async function entryOf({ redis, keyring }: Access, { call, ask }: Asked): Promise<ApprovalEntry | null> {
  const { itemKey, run, tool, effect, risk, quorum, requestedBy } = ask;
  const [hash, records] = await Promise.all([readRun(redis, run), readAnswers(redis, itemKey, run)]);
  if (hash === null || hash.endedAt !== undefined) return null;
  const judged = judgeAnswers({ ask, records, keyring });
  return {
    itemKey,
    run,
    tool,
    effect,
    risk,
    quorum,
    approvals: judged.kind === "denied" ? [] : judged.approvers,
    requestedBy,
    askedAt: new Date(ask.askedAt).toISOString(),
    expiresAt: new Date(ask.expiresAt).toISOString(),
    reason: call.policyDecision?.reason ?? null,
    rule: call.rule ?? null,
    labels: hash.labels,
  };
}
