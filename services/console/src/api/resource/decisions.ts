import { z } from "zod";
import { decisionEntrySchema, listDecisions } from "@airlock/operator/document";
import type { Deps } from "../../deps.ts";
import { PROBLEMS } from "../problem.ts";
import type { Typed } from "../typed.ts";

const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;

export function registerDecisions(app: Typed, deps: Deps): void {
  app.get(
    "/decisions",
    {
      config: { role: "viewer" },
      schema: {
        operationId: "sampleDecisions",
        description: "A random sample of the latest lines of both decision logs, the oldest first.",
        querystring: z.object({
          sample: z.coerce.number().int().min(1).max(1_000).default(20),
          sinceMs: z.coerce.number().int().min(1).max(WEEK_MS).default(HOUR_MS),
        }),
        response: {
          200: z.strictObject({ decisions: z.array(decisionEntrySchema).readonly() }),
          ...PROBLEMS,
        },
      },
    },
    async ({ query }) => ({ decisions: await listDecisions(deps.redis, query) }),
  );
}
