import { z } from "zod";
import { canonicalJson } from "@airlock/core/json";
import { runSpecSchema } from "@airlock/core/run";
import { submitRun } from "@airlock/operator/order";
import type { Deps } from "../../deps.ts";
import { keepSubmitter } from "../../identity/index.ts";
import { runIdFor } from "../idempotency.ts";
import { PROBLEMS } from "../problem.ts";
import { actingAs, nameOf, type Typed } from "../typed.ts";

const SPEC_BYTES = 8 * 1024 * 1024;
const submitHeaders = z.object({
  "idempotency-key": z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, "1 to 255 printable ASCII characters without spaces")
    .optional(),
});
/** Only `airlock contract` plays scenarios, beside the keys of the installation. */
const submitBody = z.strictObject({ spec: runSpecSchema.omit({ contract: true }) });

export function registerSubmission(app: Typed, deps: Deps): void {
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
      const by = nameOf(request);
      const reserved = key === undefined ? undefined : await runIdFor(deps.redis, { by, key, body });
      const run = await keepSubmitter(deps.redis, by, reserved);
      const id = await submitRun(actingAs(request, deps), spec, run);
      return reply.status(201).header("location", `/api/v1/runs/${id}`).send({ id });
    },
  );
}
