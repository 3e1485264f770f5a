// A press on promote or remove in, a signed answer in the name of whoever pressed out; refuses a job that doesn't hold the
// validator's question. The job itself stays where it is: the answer wakes the validator, and the validator alone takes it.
import type { Job } from "bullmq";
import { z } from "zod";
import { askBodySchema, parseBody, type AskBody } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { addressOf } from "@airlock/core/queue";
import { verifyRecord } from "@airlock/core/record";
import { answerCall, type AnswerResult } from "@airlock/operator/order";
import type { Deps } from "../deps.ts";

export interface BoardAnswer {
  readonly status: 204 | 403 | 404 | 409;
  readonly message: string;
}

export async function answerJob(
  deps: Pick<Deps, "access" | "approver">,
  job: Pick<Job, "id" | "data"> | undefined,
  said: { readonly answer: "approve" | "deny"; readonly by: string },
): Promise<BoardAnswer> {
  if (job === undefined) return { status: 404, message: "The job is not there (any more)" };
  const ask = questionOf(deps, job);
  if (ask === null) return { status: 409, message: "The job doesn't hold the validator's question" };
  const { itemKey, nonce } = ask;
  const reason = "answered on the board of queues";
  const answer = { itemKey, nonce, answer: said.answer, approver: said.by, reason };
  return tell(await answerCall({ ...deps.access, approver: deps.approver }, answer));
}

const jobSchema = z.object({ record: z.unknown() });

/** The question that the job holds, if a validator signed it for this very job. */
function questionOf({ access }: Pick<Deps, "access">, job: Pick<Job, "id" | "data">): AskBody | null {
  try {
    const { record } = jobSchema.parse(job.data);
    const body = parseBody(askBodySchema, verifyRecord(access.keyring, "ask", record));
    return addressOf({ purpose: "ask", body }).jobId === job.id ? body : null;
  } catch (error) {
    if (error instanceof AirlockError || error instanceof z.ZodError) return null;
    throw error;
  }
}

const REFUSED = {
  conflict: { status: 409, message: "It is answered already, by you or for good" },
  expired: { status: 409, message: "The time to answer is over" },
  gone: { status: 409, message: "The call does not wait (any more)" },
  requester: { status: 403, message: "Who submitted the run can't answer for it" },
} as const satisfies Record<string, BoardAnswer>;

function tell(result: AnswerResult): BoardAnswer {
  if (result.kind !== "stored") return REFUSED[result.kind];
  const { missing, outcome } = result;
  if (outcome !== "pending") return { status: 204, message: "" };
  return { status: 409, message: `Your approval is kept; ${missing} more needed before it runs` };
}
