// A person's answer to the question about a call in, stored and the validator woken out; refuses the requester, what comes
// too late, and any word after the one that decided.
import { approverField, storeAnswer as store, verifyAnswer } from "@airlock/core/approval";
import { approvalBodySchema, type AskBody } from "@airlock/core/contract";
import { wakeApproval } from "@airlock/core/queue";
import { signRecord, type Keyring, type SignedRecord } from "@airlock/core/record";
import { redisNow } from "@airlock/core/store";
import type { Access } from "../access.ts";
import { hasExpired, isWaiting, readQuestion, type Asked } from "../document/approvals.ts";

export interface Answer {
  readonly answer: "approve" | "deny";
  /** who says so */
  readonly approver: string;
  readonly reason: string;
}

/** `missing`: how many more have to approve. Of the others nothing was changed; `gone`: the call doesn't wait (any more). */
export type AnswerResult =
  | {
      readonly kind: "stored";
      readonly outcome: "approved" | "denied" | "pending";
      readonly missing: number;
    }
  | { readonly kind: "conflict" | "expired" | "requester" | "gone" };

/** What an answer is bound to. */
type Bound = Pick<AskBody, "run" | "itemKey" | "argumentsDigest" | "policyDigest" | "nonce" | "expiresAt">;

/** Signs an answer with an approver's keyring: the console's for whom it has authenticated, a person's own for them alone. */
export function signAnswer(
  approver: Keyring,
  ask: Bound,
  answer: Answer & { readonly at: number },
): SignedRecord {
  const { run, itemKey, argumentsDigest, policyDigest, nonce, expiresAt } = ask;
  const { at, ...said } = answer;
  const bound = { version: 1, run, itemKey, argumentsDigest, policyDigest, nonce, expiresAt } as const;
  const body = approvalBodySchema.parse({ ...bound, ...said, answeredAt: at });
  return signRecord(approver, "approval", JSON.stringify(body));
}

/**
 * Stores an answer that somebody signed, and wakes the validator where it decides. Throws RECORD_INVALID for one that no
 * approver's key signed, or in a name that is not that key's.
 */
export async function storeAnswer(access: Access, record: SignedRecord): Promise<AnswerResult> {
  const { redis, keyring } = access;
  const answer = verifyAnswer(keyring, record);
  const asked = await readQuestion(access, answer.itemKey);
  if (asked === null || !isFor(asked.ask, answer)) return { kind: "gone" };
  if (!isWaiting(asked)) return { kind: noLonger(asked) };
  const { ask } = asked;
  // by its own clock it came too late: kept it would count for nothing, and stand in the way of those that do
  if (answer.answeredAt >= ask.expiresAt) return { kind: "expired" };
  if (approverField(answer.approver) === approverField(ask.requestedBy)) return { kind: "requester" };
  const stored = await store(redis, { ask, answer, record: JSON.stringify(record) });
  if (stored.kind !== "stored") return stored;
  const { missing } = stored;
  if (missing === 0) await wakeApproval(redis, ask);
  const decided = answer.answer === "deny" ? "denied" : "approved";
  return { kind: "stored", outcome: missing === 0 ? decided : "pending", missing };
}

/** Answers in the name of somebody whom the caller has authenticated. `nonce`: of the question that they have seen. */
export async function answerCall(
  access: Access & { readonly approver: Keyring },
  { itemKey, nonce, ...answer }: Answer & { readonly itemKey: string; readonly nonce?: string | undefined },
): Promise<AnswerResult> {
  const asked = await readQuestion(access, itemKey);
  if (asked === null || (nonce !== undefined && nonce !== asked.ask.nonce)) return { kind: "gone" };
  if (!isWaiting(asked)) return { kind: noLonger(asked) };
  const at = await redisNow(access.redis);
  if (at >= asked.ask.expiresAt) return { kind: "expired" };
  return storeAnswer(access, signAnswer(access.approver, asked.ask, { ...answer, at }));
}

function noLonger(asked: Asked): "expired" | "gone" {
  return hasExpired(asked) ? "expired" : "gone";
}

function isFor(ask: AskBody, answer: ReturnType<typeof verifyAnswer>): boolean {
  const { run, argumentsDigest, policyDigest, nonce, expiresAt } = answer;
  return (
    run === ask.run &&
    argumentsDigest === ask.argumentsDigest &&
    policyDigest === ask.policyDigest &&
    nonce === ask.nonce &&
    expiresAt === ask.expiresAt
  );
}
