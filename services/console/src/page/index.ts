// A request of somebody who may read in, a page or the outcome of a form out; refuses what its role doesn't allow.
import type { FastifyInstance } from "fastify";
import type { Deps } from "../deps.ts";
import { registerLive } from "../live/index.ts";
import { registerApprovalPages } from "./handle/approval-pages.ts";
import { registerListPages } from "./handle/list-pages.ts";
import { registerRunPages } from "./handle/run-pages.ts";
import { registerUnknownPages } from "./handle/unknown-pages.ts";
import { answerFault } from "./handle/fault.ts";

/** The pages that people see, at `/`, and what tells them that they are out of date. */
export async function registerPages(app: FastifyInstance, deps: Deps): Promise<void> {
  app.setErrorHandler((error, request, reply) => answerFault(error, { request, reply, log: deps.log }));
  app.get("/", { config: { role: "any" } }, (_, reply) => reply.redirect("/runs", 303));
  registerRunPages(app, deps);
  registerApprovalPages(app, deps);
  registerUnknownPages(app, deps);
  registerListPages(app, deps);
  registerLive(app, deps);
}
