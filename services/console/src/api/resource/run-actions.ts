import { z } from "zod";
import { actionReasonSchema } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { actOnRun, cancelOpenRun } from "@airlock/operator/order";
import type { Deps } from "../../deps.ts";
import { assertMayRead } from "../../identity/index.ts";
import { ANSWER_MS, answeredSchema, reason, runParams } from "../parameters.ts";
import { PROBLEMS } from "../problem.ts";
import { actingAs, type Typed } from "../typed.ts";

const actionBody = z.strictObject({
  /** the run, or a turn, response or call of it; left out: the run */
  target: z.string().max(64).optional(),
  reason,
});
const requeueBody = actionBody.extend({
  /** limits of the run that are raised, by their names in a spec */
  raise: z.record(z.string().max(32), z.int().min(1)).default({}),
});

export function registerRunActions(app: Typed, deps: Deps): void {
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

function within(run: string, target: string): string {
  if (target === run || target.startsWith(`${run}.`)) return target;
  throw new AirlockError("USAGE", "the target has to be the run itself or a part of it");
}
