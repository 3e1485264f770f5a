import { reportScope } from "@airlock/core/run";
import { ADAPTERS } from "@airlock/core/wire";
import { perReading } from "../admission/per-reading.ts";
import type { Deps } from "../deps.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";
import { routeVerified } from "./route-verified.ts";

/** `contract`: the run plays a scenario, whatever the route is; `read_only`: the operator says so. */
export type RouteStanding = "contract" | "read_only" | "verified" | "unverified";

const standings = perReading<RouteStanding>();

/** What the run's route is good for: only stored reports for this adapter version and model make it `verified`. */
export function routeStanding(deps: Deps, run: AdmittedRun): Promise<RouteStanding> {
  return standings(run, run.route, () => findStanding(deps, run));
}

async function findStanding(deps: Deps, run: AdmittedRun): Promise<RouteStanding> {
  if (run.plan.contract !== null) return "contract";
  const route = deps.routes.get(run.route);
  if (route === undefined) return "unverified";
  if (route.effects === "read_only") return "read_only";
  const covers = reportScope(route, run.model);
  if (covers === null) return "unverified";
  const adapter = ADAPTERS[route.family].version;
  return (await routeVerified(deps, { route: run.route, adapter, covers })) ? "verified" : "unverified";
}
