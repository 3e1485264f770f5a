import { z } from "zod";
import { canonicalJson } from "@airlock/core/json";
import { actionReasonSchema } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { runSpecSchema, runStateSchema } from "@airlock/core/run";
import {
  diffDocumentSchema,
  listRunPage,
  readDiffDocument,
  readRunDocument,
  runDocumentSchema,
  runPageSchema,
} from "@airlock/operator/document";
import { actOnRun, cancelOpenRun, submitRun } from "@airlock/operator/order";
import type { Deps } from "../../deps.ts";
import { assertMayRead } from "../../page/handle/may-read.ts";
import { runIdFor } from "../idempotency.ts";
import { ANSWER_MS, answeredSchema, reason, runParams } from "../parameters.ts";
import { PROBLEMS } from "../problem.ts";
import { actingAs, nameOf, type Typed } from "../typed.ts";

const SPEC_BYTES = 8 * 1024 * 1024;
const READERS = { role: ["viewer", "submitter"] } as const;

const runQuery = z.strictObject({
  state: runStateSchema.optional(),
  /** `name:value` */
  label: z
    .string()
    .max(321)
    .regex(/^[^:]{1,64}:/, "a label is asked for as name:value")
    .optional(),
  cursor: z.string().max(64).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
const submitHeaders = z.object({
  "idempotency-key": z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, "1 to 255 printable ASCII characters without spaces")
    .optional(),
});
/** Only `airlock contract` plays scenarios, beside the keys of the installation. */
const submitBody = z.strictObject({ spec: runSpecSchema.omit({ contract: true }) });
const actionBody = z.strictObject({
  /** the run, or a turn, response or call of it; left out: the run */
  target: z.string().max(64).optional(),
  reason,
});

export function registerRuns(app: Typed, deps: Deps): void {
  app.post(
    "/runs",
    {
      config: { role: "submitter" },
      bodyLimit: SPEC_BYTES,
      schema: {
        operationId: "submitRun",
        description: "Submits a run. The same idempotency key and body give the same run, within a day.",
        headers: submitHeaders,
        body: submitBody,
        response: { 201: z.strictObject({ id: z.string() }), ...PROBLEMS },
      },
    },
    async (request, reply) => {
      const { spec } = request.body;
      const key = request.headers["idempotency-key"];
      const body = canonicalJson(z.json().parse(spec));
      const run =
        key === undefined ? undefined : await runIdFor(deps.redis, { by: nameOf(request), key, body });
      const id = await submitRun(actingAs(request, deps), spec, run);
      return reply.status(201).header("location", `/api/v1/runs/${id}`).send({ id });
    },
  );

  app.get(
    "/runs",
    {
      config: READERS,
      schema: {
        operationId: "listRuns",
        description: "The latest runs first; who only submits sees its own.",
        querystring: runQuery,
        response: { 200: runPageSchema, ...PROBLEMS },
      },
    },
    async (request) => {
      const { state = null, label, cursor = null, limit } = request.query;
      const all = request.principal?.roles.has("viewer") === true;
      const requestedBy = all ? null : nameOf(request);
      return listRunPage(deps.redis, { state, label: labelOf(label), cursor, limit, requestedBy });
    },
  );

  app.get(
    "/runs/:run",
    {
      config: READERS,
      schema: {
        operationId: "readRun",
        params: runParams,
        response: { 200: runDocumentSchema, ...PROBLEMS },
      },
    },
    async (request) => {
      const { run } = request.params;
      await assertMayRead(request, deps.redis, run);
      return readRunDocument(deps.access, run);
    },
  );

  app.get(
    "/runs/:run/diff",
    {
      config: READERS,
      schema: {
        operationId: "readDiff",
        params: runParams,
        response: { 200: diffDocumentSchema, ...PROBLEMS },
      },
    },
    async (request) => {
      const { run } = request.params;
      await assertMayRead(request, deps.redis, run);
      return readDiffDocument(deps.access, run);
    },
  );

  registerActions(app, deps);
}

function registerActions(app: Typed, deps: Deps): void {
  app.post(
    "/runs/:run/cancel",
    {
      config: { role: ["submitter", "operator"] },
      schema: {
        operationId: "cancelRun",
        description: "Asks for a run's end; of an ended run nothing is requested.",
        params: runParams,
        body: z.strictObject({ reason: z.string().max(200).default("") }),
        response: {
          202: z.strictObject({ state: z.string(), requested: z.boolean() }),
          ...PROBLEMS,
        },
      },
    },
    async (request, reply) => {
      const { run } = request.params;
      if (request.principal?.roles.has("operator") !== true) await assertMayRead(request, deps.redis, run);
      return reply.status(202).send(await cancelOpenRun(actingAs(request, deps), run, request.body.reason));
    },
  );

  for (const kind of ["requeue", "abandon"] as const) {
    app.post(
      `/runs/:run/${kind}`,
      {
        config: { role: "operator" },
        schema: {
          operationId: `${kind}Run`,
          params: runParams,
          body: kind === "requeue" ? requeueBody : actionBody,
          response: { 200: answeredSchema, 202: answeredSchema, ...PROBLEMS },
        },
      },
      async (request, reply) => {
        const { run } = request.params;
        const { target = run, reason } = request.body;
        const raise = requeueBody.shape.raise.parse("raise" in request.body ? request.body.raise : {});
        const answered = await actOnRun(
          actingAs(request, deps),
          { kind, run, target: within(run, target), reason: actionReasonSchema.parse(reason), raise },
          ANSWER_MS,
        );
        return reply.status(answered.answer === null ? 202 : 200).send(answered);
      },
    );
  }
}

const requeueBody = actionBody.extend({
  /** limits of the run that are raised, by their names in a spec */
  raise: z.record(z.string().max(32), z.int().min(1)).default({}),
});

function within(run: string, target: string): string {
  if (target === run || target.startsWith(`${run}.`)) return target;
  throw new AirlockError("USAGE", "the target has to be the run itself or a part of it");
}

function labelOf(text: string | undefined): { readonly name: string; readonly value: string } | null {
  if (text === undefined) return null;
  const at = text.indexOf(":");
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}
