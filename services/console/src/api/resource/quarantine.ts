import { z } from "zod";
import {
  ENTRY_STATES,
  listQuarantine,
  quarantineDocumentSchema,
  quarantineEntrySchema,
  readQuarantine,
} from "@airlock/operator/document";
import type { Deps } from "../../deps.ts";
import { rawQuery } from "../parameters.ts";
import { PROBLEMS } from "../problem.ts";
import type { Typed } from "../typed.ts";

const listQuery = z.strictObject({
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
        response: {
          200: z.strictObject({ entries: z.array(quarantineEntrySchema).readonly() }),
          ...PROBLEMS,
        },
      },
    },
    async (request) => {
      const { run = null, errorClass = null, state = null, limit } = request.query;
      return { entries: await listQuarantine(deps.access, { run, errorClass, state, limit }) };
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
