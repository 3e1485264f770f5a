import fastify from "fastify";
import type { Deps } from "../deps.ts";
import { registerApi } from "./index.ts";

/** The OpenAPI document as text. No request is served, so nothing that a request would reach is needed. */
export async function openApiText(): Promise<string> {
  const app = fastify();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only what registration itself looks at
  const deps = { config: { apiRequestsPerMinute: 1 } } as Deps;
  await app.register(async (scope) => registerApi(scope, deps), { prefix: "/api/v1" });
  const answer = await app.inject({ url: "/api/v1/openapi.json" });
  await app.close();
  return `${JSON.stringify(JSON.parse(answer.body), null, 2)}\n`;
}
