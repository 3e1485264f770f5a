// The list of calls that wait for people in, the questions about them out, page by page, and of one of them what it would
// do; refuses what the validator did not sign, or no longer asks.
import { judgeAnswers, readAnswers } from "@airlock/core/approval";
import { askBodySchema, parseBody, type AskBody } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { parseItemKey, verifyRecord } from "@airlock/core/record";
import { readCall, readRunHeads, type CallHash, type RunHead } from "@airlock/core/run";
import { globalKeys, redisNow } from "@airlock/core/store";
import type { Access } from "../access.ts";
import type { ApprovalDocument, ApprovalEntry, ApprovalPage } from "./approval-schemas.ts";
import { evidenceOf } from "./approval-evidence.ts";
import { fillPage, walkPages, type PageQuery } from "./index-page.ts";

/** A call that waits, and the verified question about it. */
export interface Asked {
  readonly call: CallHash;
  readonly ask: AskBody;
}

const PAGE = 200;

/** The soonest to expire first, so many at most. */
export function listApprovals(access: Access, limit = Infinity): Promise<readonly ApprovalEntry[]> {
  return walkPages({ limit, size: PAGE }, async (query) => {
    const { approvals, next } = await listApprovalPage(access, query);
    return { entries: approvals, next };
  });
}

/** The soonest to expire first. Throws USAGE for a cursor that is none. */
export async function listApprovalPage(access: Access, query: PageQuery): Promise<ApprovalPage> {
  const { redis } = access;
  const index = { key: globalKeys.approvals, order: "rising", from: await redisNow(redis) } as const;
  const page = await fillPage({ redis, index }, query, (ids) => readEntries(access, ids));
  return { approvals: page.entries, next: page.next };
}

/** Null for a call that waits for nobody. */
export async function readApprovalEntry(access: Access, itemKey: string): Promise<ApprovalEntry | null> {
  const [entry = null] = await readEntries(access, [itemKey]);
  return entry;
}

/** One whose records can't be read keeps no other from the list. */
async function readEntries(
  access: Access,
  itemKeys: readonly string[],
): Promise<readonly (ApprovalEntry | null)[]> {
  const found = await Promise.all(itemKeys.map((itemKey) => readAsked(access, itemKey).catch(unreadable)));
  const runs = [...new Set(found.flatMap((asked) => (asked === null ? [] : [asked.ask.run])))];
  const heads = await readRunHeads(access.redis, runs);
  const headOf = new Map(runs.map((run, at) => [run, heads[at] ?? null]));
  return Promise.all(
    found.map(async (asked) => {
      const head = asked === null ? null : (headOf.get(asked.ask.run) ?? null);
      return asked === null || head instanceof AirlockError ? null : entryOf(access, asked, head);
    }),
  );
}

function unreadable(error: unknown): null {
  if (error instanceof AirlockError) return null;
  throw error;
}

/** Throws RUN_NOT_FOUND for a call that does not wait for anybody, and says so where its time ran out. */
export async function readApproval(access: Access, itemKey: string): Promise<ApprovalDocument> {
  const question = await readQuestion(access, itemKey);
  if (question !== null && hasExpired(question)) {
    throw new AirlockError("RUN_NOT_FOUND", `the question about ${itemKey} has expired: nothing runs`);
  }
  const asked = question !== null && isWaiting(question) ? question : null;
  const [head = null] = asked === null ? [] : await readRunHeads(access.redis, [asked.ask.run]);
  if (head instanceof AirlockError) throw head;
  const entry = asked === null ? null : await entryOf(access, asked, head);
  if (asked === null || entry === null) {
    throw new AirlockError(
      "RUN_NOT_FOUND",
      `no call ${itemKey} waits for an approval; \`airlock approvals\` lists those that do`,
    );
  }
  return { ...entry, evidence: await evidenceOf(access, asked) };
}

/** The question about a call as its validator signed it; null where it does not wait, or the record is not to be trusted. */
export async function readAsked(access: Access, itemKey: string): Promise<Asked | null> {
  const question = await readQuestion(access, itemKey);
  return question !== null && isWaiting(question) ? question : null;
}

export function isWaiting({ call }: Asked): boolean {
  return call.state === "AWAITING_APPROVAL" && call.settled === undefined;
}

/** Whether it ended because nobody answered in time. */
export function hasExpired({ call }: Asked): boolean {
  return call.settled === "EXPIRED" && call.errorClass === "APPROVAL_EXPIRED";
}

/** The last question about a call, whether it waits for it still or not. */
export async function readQuestion({ redis, keyring }: Access, itemKey: string): Promise<Asked | null> {
  if (parseItemKey(itemKey) === null) return null;
  // one call whose record is broken may not hide all others that wait
  try {
    const call = await readCall(redis, itemKey);
    if (call?.askRecord === undefined) return null;
    const ask = parseBody(askBodySchema, verifyRecord(keyring, "ask", JSON.parse(call.askRecord)));
    return ask.itemKey === itemKey && ask.nonce === call.nonce ? { call, ask } : null;
  } catch (error) {
    if (error instanceof AirlockError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Null where its run has ended. */
async function entryOf(
  { redis, keyring }: Access,
  { call, ask }: Asked,
  head: RunHead | null,
): Promise<ApprovalEntry | null> {
  if (head === null || head.endedAt !== undefined) return null;
  const { itemKey, run, tool, effect, risk, quorum, requestedBy } = ask;
  const records = await readAnswers(redis, itemKey, run);
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
    labels: head.labels,
  };
}
