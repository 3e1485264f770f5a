// Takes the question whether a call may run and all answers that lie beside it, gives approved, denied, or how many are
// missing; refuses every answer that is not signed for exactly this question, in a name that its key may answer in.
import { approvalBodySchema, parseBody, type ApprovalBody, type AskBody } from "../contract/index.ts";
import { AirlockError } from "../fault/index.ts";
import { signedRecordSchema, verifyRecord, type Keyring } from "../record/index.ts";
import { approverField } from "./approver-field.ts";

/** What an answer has to be for. The validator's question has all of it, and so has a grant that rests on one. */
export type Question = Pick<
  AskBody,
  "run" | "itemKey" | "argumentsDigest" | "policyDigest" | "nonce" | "expiresAt" | "requestedBy" | "quorum"
>;

export type AnswersJudgement =
  | { readonly kind: "approved"; readonly approvers: readonly string[] }
  | { readonly kind: "denied"; readonly by: string; readonly reason: string }
  /** `approvers`: who has approved so far */
  | { readonly kind: "pending"; readonly missing: number; readonly approvers: readonly string[] };

/** `records`: the texts of `:approval:` by field. One valid denial denies, whatever else lies there. */
export function judgeAnswers(given: {
  readonly ask: Question;
  readonly records: Readonly<Record<string, string>>;
  readonly keyring: Keyring;
}): AnswersJudgement {
  const { ask, records, keyring } = given;
  const answers = Object.entries(records).flatMap(([field, text]) => {
    const answer = readAnswer(keyring, text);
    const counts = answer !== null && isFor(ask, answer) && field === approverField(answer.approver);
    return counts ? [answer] : [];
  });
  const denial = answers.find(({ answer }) => answer === "deny");
  if (denial !== undefined) return { kind: "denied", by: denial.approver, reason: denial.reason };
  const approvers = answers.map(({ approver }) => approver).toSorted();
  const missing = ask.quorum - approvers.length;
  return missing > 0 ? { kind: "pending", missing, approvers } : { kind: "approved", approvers };
}

/** An answer whose signature and name hold; null for anything else that lies there. */
export function readAnswer(keyring: Keyring, text: string): ApprovalBody | null {
  try {
    return verifyAnswer(keyring, JSON.parse(text));
  } catch (error) {
    if (error instanceof AirlockError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Throws RECORD_INVALID for a record that no approver signed, or signed in a name that is not that key's. */
export function verifyAnswer(keyring: Keyring, input: unknown): ApprovalBody {
  const body = parseBody(approvalBodySchema, verifyRecord(keyring, "approval", input));
  const { keyId } = signedRecordSchema.parse(input);
  const key = keyring.trusted.approver.find((trusted) => trusted.keyId === keyId);
  if (key?.name === undefined || approverField(key.name) === approverField(body.approver)) return body;
  throw new AirlockError("RECORD_INVALID", "an approver's own key answers in its own name only");
}

function isFor(ask: Question, answer: ApprovalBody): boolean {
  return (
    answer.run === ask.run &&
    answer.itemKey === ask.itemKey &&
    answer.argumentsDigest === ask.argumentsDigest &&
    answer.policyDigest === ask.policyDigest &&
    answer.nonce === ask.nonce &&
    answer.expiresAt === ask.expiresAt &&
    answer.answeredAt < ask.expiresAt &&
    approverField(answer.approver) !== approverField(ask.requestedBy)
  );
}
