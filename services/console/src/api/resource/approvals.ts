import { z } from "zod";
import { verifyAnswer } from "@airlock/core/approval";
import { AirlockError } from "@airlock/core/fault";
import { signedRecordSchema } from "@airlock/core/record";
import {
  approvalDocumentSchema,
  approvalPageSchema,
  listApprovalPage,
  readApproval,
} from "@airlock/operator/document";
import { answerCall, storeAnswer, type AnswerResult } from "@airlock/operator/order";
import type { Deps } from "../../deps.ts";
import { itemParams, pageQuery } from "../parameters.ts";
import { ApiRefusal, PROBLEMS } from "../problem.ts";
import { nameOf, type Typed } from "../typed.ts";

const storedSchema = z.strictObject({
  kind: z.literal("stored"),
  outcome: z.enum(["approved", "denied", "pending"]),
  /** how many more have to approve */
  missing: z.int(),
});
const answerBody = z.strictObject({
  reason: z.string().trim().max(500).default(""),
  /** of the question that was seen: another one is not answered by this */
  nonce: z.string().max(64),
});

export function registerApprovals(app: Typed, deps: Deps): void {
  app.get(
    "/approvals",
    {
      config: { role: "viewer" },
      schema: {
        operationId: "listApprovals",
        description: "The calls that wait for people, the first to expire first.",
        querystring: pageQuery,
        response: { 200: approvalPageSchema, ...PROBLEMS },
      },
    },
    (request) => {
      const { cursor = null, limit } = request.query;
      return listApprovalPage(deps.access, { cursor, limit });
    },
  );

  app.get(
    "/approvals/:item",
    {
      config: { role: "approver" },
      schema: {
        operationId: "readApproval",
        description: "One question with its evidence: what exactly would run.",
        params: itemParams,
        response: { 200: approvalDocumentSchema, ...PROBLEMS },
      },
    },
    (request) => readApproval(deps.access, request.params.item),
  );

  registerAnswers(app, deps);
}

function registerAnswers(app: Typed, deps: Deps): void {
  for (const answer of ["approve", "deny"] as const) {
    app.post(
      `/approvals/:item/${answer}`,
      {
        config: { role: "approver" },
        schema: {
          operationId: `${answer}Call`,
          params: itemParams,
          body: answerBody,
          response: { 200: storedSchema, ...PROBLEMS },
        },
      },
      async (request) => {
        const given = { ...request.body, itemKey: request.params.item, answer, approver: nameOf(request) };
        return stored(await answerCall({ ...deps.access, approver: deps.approver }, given));
      },
    );
  }

  app.post(
    "/approvals/:item/answers",
    {
      config: { role: "approver" },
      schema: {
        operationId: "handInAnswer",
        description: "Hands in an answer that somebody signed with a key of their own.",
        params: itemParams,
        body: z.strictObject({ record: signedRecordSchema }),
        response: { 200: storedSchema, ...PROBLEMS },
      },
    },
    async (request) => {
      const { record } = request.body;
      // who hands it in was told of the path's call: a record about another one answers something they don't look at
      if (verifyAnswer(deps.access.keyring, record).itemKey !== request.params.item) {
        throw new AirlockError("RECORD_INVALID", `the record does not answer for ${request.params.item}`);
      }
      return stored(await storeAnswer(deps.access, record));
    },
  );
}

const REFUSED = {
  conflict: "ANSWER_CONFLICT",
  expired: "ANSWER_EXPIRED",
  requester: "ANSWER_OWN_RUN",
  gone: "ANSWER_GONE",
} as const satisfies Record<Exclude<AnswerResult["kind"], "stored">, string>;

function stored(result: AnswerResult): Extract<AnswerResult, { kind: "stored" }> {
  if (result.kind === "stored") return result;
  throw new ApiRefusal(REFUSED[result.kind]);
}
