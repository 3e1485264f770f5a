import type { FastifyInstance } from "fastify";
import { z } from "zod";
import {
  ENTRY_STATES,
  listLeases,
  listPools,
  listQuarantinePage,
  listRoutes,
} from "@airlock/operator/document";
import { readAudit } from "../../audit/index.ts";
import type { Deps } from "../../deps.ts";
import { liveFeed } from "../../live/index.ts";
import { AuditPage } from "../view/audit.tsx";
import { Executors } from "../view/executors.tsx";
import { Quarantine } from "../view/quarantine.tsx";
import { Routes } from "../view/routes.tsx";
import { readerOf, sendPage } from "./send-page.ts";

const MOST_ENTRIES = 100;

const stateQuery = z.object({
  state: z.enum([...ENTRY_STATES, "all"]).catch("open"),
  cursor: z.string().max(160).nullable().catch(null),
});
const auditQuery = z.object({
  before: z
    .string()
    .regex(/^\d{1,16}-\d{1,16}$/)
    .optional()
    .catch(undefined),
});

/** The pages that only show. */
export function registerListPages(app: FastifyInstance, deps: Deps): void {
  app.get("/quarantine", { config: { role: "viewer" } }, async (request, reply) => {
    const { state, cursor } = stateQuery.parse(request.query);
    const filter = { run: null, errorClass: null, state: state === "all" ? null : state };
    const live = cursor === null ? await liveFeed(deps.redis) : null;
    const page = await listQuarantinePage(deps, { ...filter, cursor, limit: MOST_ENTRIES });
    return sendPage(reply, Quarantine, { reader: readerOf(request), page, state, live });
  });

  app.get("/routes", { config: { role: "viewer" } }, async (request, reply) => {
    const live = await liveFeed(deps.redis);
    const routes = await listRoutes(deps, deps.routes);
    return sendPage(reply, Routes, { reader: readerOf(request), routes, live });
  });

  app.get("/executors", { config: { role: "viewer" } }, async (request, reply) => {
    const pools = await listPools(deps.redis);
    const leased = pools.map(async (pool) => ({ ...pool, ...(await listLeases(deps.redis, pool.name)) }));
    return sendPage(reply, Executors, { reader: readerOf(request), pools: await Promise.all(leased) });
  });

  app.get("/audit", { config: { role: "operator" } }, async (request, reply) => {
    const { before } = auditQuery.parse(request.query);
    const entries = await readAudit(deps.redis, { limit: MOST_ENTRIES, before });
    const next = entries.length < MOST_ENTRIES ? null : (entries.at(-1)?.id ?? null);
    return sendPage(reply, AuditPage, { reader: readerOf(request), entries, next });
  });
}
