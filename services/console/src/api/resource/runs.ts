import { z } from "zod";
import { runStateSchema } from "@airlock/core/run";
import {
  diffDocumentSchema,
  listRunPage,
  readDiffDocument,
  readRunDocument,
  runDocumentSchema,
  runPageSchema,
} from "@airlock/operator/document";
import type { Deps } from "../../deps.ts";
import { assertMayRead } from "../../identity/index.ts";
import { runParams } from "../parameters.ts";
import { PROBLEMS } from "../problem.ts";
import { nameOf, type Typed } from "../typed.ts";

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

export function registerRuns(app: Typed, deps: Deps): void {
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

  registerDiff(app, deps);
}

function registerDiff(app: Typed, deps: Deps): void {
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
}

function labelOf(text: string | undefined): { readonly name: string; readonly value: string } | null {
  if (text === undefined) return null;
  const at = text.indexOf(":");
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}
