import { z } from "zod";
import { FINDINGS } from "@airlock/core/contract";
import {
  ledgerDocumentSchema,
  listUnknownPage,
  readLedger,
  unknownPageSchema,
} from "@airlock/operator/document";
import { resolveCall } from "@airlock/operator/order";
import type { Deps } from "../../deps.ts";
import { ANSWER_MS, answeredSchema, itemParams, pageQuery, rawQuery, reason } from "../parameters.ts";
import { PROBLEMS } from "../problem.ts";
import { actingAs, type Typed } from "../typed.ts";

export function registerCalls(app: Typed, deps: Deps): void {
  app.get(
    "/unknown",
    {
      config: { role: "viewer" },
      schema: {
        operationId: "listUnknown",
        description: "The calls of which nobody knows whether they ran, the oldest first.",
        querystring: pageQuery.extend({ run: z.string().max(64).optional() }),
        response: { 200: unknownPageSchema, ...PROBLEMS },
      },
    },
    (request) => {
      const { run = null, cursor = null, limit } = request.query;
      return listUnknownPage(deps.access, { run, cursor, limit });
    },
  );

  app.get(
    "/calls/:item/ledger",
    {
      config: { role: "operator" },
      schema: {
        operationId: "readLedger",
        params: itemParams,
        querystring: rawQuery,
        response: { 200: ledgerDocumentSchema, ...PROBLEMS },
      },
    },
    (request) => readLedger(deps.access, request.params.item, request.query),
  );

  app.post(
    "/calls/:item/resolve",
    {
      config: { role: "operator" },
      schema: {
        operationId: "resolveCall",
        description: "What a person found out about a call of unknown outcome.",
        params: itemParams,
        body: z.strictObject({ finding: z.enum(FINDINGS), reason }),
        response: { 200: answeredSchema, 202: answeredSchema, ...PROBLEMS },
      },
    },
    async (request, reply) => {
      const asked = { ...request.body, target: request.params.item };
      const answered = await resolveCall(actingAs(request, deps), asked, ANSWER_MS);
      return reply.status(answered.answer === null ? 202 : 200).send(answered);
    },
  );
}
