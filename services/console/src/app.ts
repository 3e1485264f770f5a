// What the console needs in, a web server out that refuses whatever no part of it allows.
import { randomUUID } from "node:crypto";
import cookie from "@fastify/cookie";
import formbody from "@fastify/formbody";
import fastify, { type FastifyInstance } from "fastify";
import { registerApi } from "./api/index.ts";
import { registerAssets } from "./asset/index.ts";
import { registerBoard } from "./board/index.ts";
import type { Deps } from "./deps.ts";
import { registerFailures, registerGuard } from "./guard/index.ts";
import { addressMatcher } from "./identity/index.ts";
import { registerPages } from "./page/index.ts";
import { registerSessionRoutes } from "./session/index.ts";

/** Of a form; a route that takes more says so. */
const BODY_BYTES = 64 * 1024;
const REQUEST_MS = 30_000;

export async function createApp(deps: Deps): Promise<FastifyInstance> {
  const app = fastify({
    logger: false, // our own log has no field for what a request holds
    bodyLimit: BODY_BYTES,
    requestTimeout: REQUEST_MS,
    // only a listed proxy may say whose address it is; who is asking goes by the peer itself
    trustProxy: addressMatcher(deps.users.proxy?.from ?? []),
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 256 },
  });
  registerFailures(app, deps.log);
  await app.register(cookie);
  await app.register(formbody);
  registerGuard(app, deps);
  await registerSessionRoutes(app, deps);
  await app.register(async (scope) => registerPages(scope, deps));
  await app.register(async (scope) => registerAssets(scope, deps), { prefix: "/assets" });
  await app.register(async (scope) => registerApi(scope, deps), { prefix: "/api/v1" });
  await app.register(async (scope) => registerBoard(scope, deps), { prefix: "/board" });
  return app;
}
