import type { FastifyInstance } from "fastify";
import type { Deps } from "../deps.ts";

/** The pages that people see, at `/`. */
export async function registerPages(app: FastifyInstance, _deps: Deps): Promise<void> {
  app.get(
    "/",
    { config: { role: "any" } },
    async (request) => `signed in as ${request.principal?.name ?? ""}`,
  );
}
