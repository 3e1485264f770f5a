import { z } from "zod";
import {
  ENTRY_STATES,
  listQuarantinePage,
  quarantineDocumentSchema,
  quarantinePageSchema,
  readQuarantine,
} from "@airlock/operator/document";
import type { Deps } from "../../deps.ts";
import { pageQuery, rawQuery } from "../parameters.ts";
import { PROBLEMS } from "../problem.ts";
import type { Typed } from "../typed.ts";

const listQuery = pageQuery.extend({
  run: z.string().max(64).optional(),
  errorClass: z.string().max(64).optional(),
  state: z.enum(ENTRY_STATES).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});

export function registerQuarantine(app: Typed, deps: Deps): void {
  app.get(
    "/quarantine",
    {
      config: { role: "viewer" },
      schema: {
        operationId: "listQuarantine",
        description: "What was refused and set aside, the latest runs first.",
        querystring: listQuery,
        response: { 200: quarantinePageSchema, ...PROBLEMS },
      },
    },
    (request) => {
      const { run = null, errorClass = null, state = null, cursor = null, limit } = request.query;
      return listQuarantinePage(deps.access, { run, errorClass, state, cursor, limit });
    },
  );

  app.get(
    "/quarantine/:target",
    {
      // what was set aside is content: a viewer is told that it is there
      config: { role: "operator" },
      schema: {
        operationId: "readQuarantine",
        params: z.object({ target: z.string().max(64) }),
        querystring: rawQuery,
        response: { 200: quarantineDocumentSchema, ...PROBLEMS },
      },
    },
    (request) => readQuarantine(deps.access, request.params.target, request.query),
  );
}
