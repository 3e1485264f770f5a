import { z } from "zod";
import { killTargetSchema } from "@airlock/core/contract";
import { readKillSwitches } from "@airlock/core/run";
import { turnSwitch } from "@airlock/operator/order";
import type { Deps } from "../../deps.ts";
import { ANSWER_MS, reason } from "../parameters.ts";
import { PROBLEMS } from "../problem.ts";
import { actingAs, type Typed } from "../typed.ts";

const switchSchema = z.strictObject({
  target: z.string(),
  id: z.string(),
  by: z.string(),
  reason: z.string(),
  /** milliseconds of Redis' clock */
  at: z.number(),
});
const turnedSchema = z.strictObject({ id: z.string(), done: z.boolean() });

export function registerKillSwitches(app: Typed, deps: Deps): void {
  app.get(
    "/kill-switches",
    {
      config: { role: "viewer" },
      schema: {
        operationId: "listKillSwitches",
        description: "What people have stopped.",
        response: { 200: z.strictObject({ switches: z.array(switchSchema).readonly() }), ...PROBLEMS },
      },
    },
    async () => ({ switches: await readKillSwitches(deps.redis) }),
  );

  for (const { kind, path, operationId } of [
    { kind: "kill", path: "/kill-switches", operationId: "setKillSwitch" },
    { kind: "unkill", path: "/kill-switches/clear", operationId: "clearKillSwitch" },
  ] as const) {
    app.post(
      path,
      {
        config: { role: "operator" },
        schema: {
          operationId,
          description: "202 where no validator has answered yet: the order waits.",
          body: z.strictObject({ target: killTargetSchema, reason }),
          response: { 200: turnedSchema, 202: turnedSchema, ...PROBLEMS },
        },
      },
      async (request, reply) => {
        const turned = await turnSwitch(actingAs(request, deps), { kind, ...request.body }, ANSWER_MS);
        return reply.status(turned.done ? 200 : 202).send(turned);
      },
    );
  }
}
