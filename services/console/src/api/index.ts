// A program's request in, a document or a problem document out; what an operation takes and gives is its schema's, and the
// OpenAPI document is made from the same.
import rateLimit from "@fastify/rate-limit";
import swagger from "@fastify/swagger";
import type { FastifyInstance, FastifyRequest } from "fastify";
import {
  jsonSchemaTransform,
  jsonSchemaTransformObject,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from "fastify-type-provider-zod";
import { globalKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { registerProblems } from "./problem.ts";
import { registerApprovals } from "./resource/approvals.ts";
import { registerCalls } from "./resource/calls.ts";
import { registerDecisions } from "./resource/decisions.ts";
import { registerInstallation } from "./resource/installation.ts";
import { registerKillSwitches } from "./resource/kill-switches.ts";
import { registerQuarantine } from "./resource/quarantine.ts";
import { registerRunActions } from "./resource/run-actions.ts";
import { registerRunEvents } from "./resource/run-events.ts";
import { registerRuns } from "./resource/runs.ts";
import { registerSubmission } from "./resource/submit-run.ts";

const MINUTE_MS = 60_000;

/** A value that may be any JSON refers to itself in a place that the generator leaves out: no schema says the same. */
function anyJson<Transformed>(transformed: Transformed): Transformed {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form stays, but for that reference
  return JSON.parse(
    JSON.stringify(transformed, (key, value: unknown) =>
      key === "additionalProperties" && isSelf(value) ? true : value,
    ),
  ) as Transformed;
}

function isSelf(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "$ref" in value &&
    value.$ref === "#/components/schemas/schema0"
  );
}

/** The HTTP API, at `/api/v1`. */
export async function registerApi(app: FastifyInstance, deps: Deps): Promise<void> {
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  registerProblems(app, deps.log);
  await app.register(rateLimit, {
    max: deps.config.apiRequestsPerMinute,
    timeWindow: MINUTE_MS,
    // all consoles count together
    redis: deps.redis,
    nameSpace: globalKeys.consoleRate,
    // the guard has refused whoever is nobody before this counts
    hook: "preHandler",
    keyGenerator: ({ principal, ip }: FastifyRequest) => principal?.name ?? ip,
  });
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Airlock",
        version: "1",
        description: "Submit runs, see what becomes of them, answer what waits for people.",
      },
      servers: [{ url: "/api/v1" }],
      components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
      security: [{ token: [] }],
    },
    stripBasePath: true,
    transform: (given) => anyJson(jsonSchemaTransform(given)),
    transformObject: jsonSchemaTransformObject,
  });
  await app.register(async (scope) => {
    const typed = scope.withTypeProvider<ZodTypeProvider>();
    registerSubmission(typed, deps);
    registerRuns(typed, deps);
    registerRunActions(typed, deps);
    registerRunEvents(typed, deps);
    registerApprovals(typed, deps);
    registerQuarantine(typed, deps);
    registerCalls(typed, deps);
    registerInstallation(typed, deps);
    registerDecisions(typed, deps);
    registerKillSwitches(typed, deps);
    typed.get("/openapi.json", { config: { role: "any" }, schema: { hide: true } }, (_, reply) =>
      reply.serializer(JSON.stringify).send(app.swagger()),
    );
  });
}
