import { z } from "zod";
import {
  listPools,
  listRoutes,
  listTools,
  poolDocumentSchema,
  routeDocumentSchema,
  toolDocumentSchema,
} from "@airlock/operator/document";
import type { Deps } from "../../deps.ts";
import { PROBLEMS } from "../problem.ts";
import type { Typed } from "../typed.ts";

/** What this installation has: routes, pools of executors, tools. A submitter needs to know what a spec may name. */
const READERS = { role: ["viewer", "submitter"] } as const;

export function registerInstallation(app: Typed, deps: Deps): void {
  app.get(
    "/routes",
    {
      config: READERS,
      schema: {
        operationId: "listRoutes",
        response: { 200: z.strictObject({ routes: z.array(routeDocumentSchema).readonly() }), ...PROBLEMS },
      },
    },
    async () => ({ routes: await listRoutes(deps.access, deps.routes) }),
  );

  app.get(
    "/pools",
    {
      config: READERS,
      schema: {
        operationId: "listPools",
        response: { 200: z.strictObject({ pools: z.array(poolDocumentSchema).readonly() }), ...PROBLEMS },
      },
    },
    async () => ({ pools: await listPools(deps.redis) }),
  );

  app.get(
    "/tools",
    {
      config: READERS,
      schema: {
        operationId: "listTools",
        response: { 200: z.strictObject({ tools: z.array(toolDocumentSchema).readonly() }), ...PROBLEMS },
      },
    },
    async () => ({ tools: listTools(deps.catalog) }),
  );
}
