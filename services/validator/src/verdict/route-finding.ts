import type { Finding } from "@airlock/core/policy";
import { reportScope } from "@airlock/core/run";
import { ADAPTERS } from "@airlock/core/wire";
import type { EffectClass } from "@airlock/core/tool";
import { routeVerified } from "../contract/route-verified.ts";
import type { Deps } from "../deps.ts";
import type { AdmittedRun } from "./judgement.ts";

/**
 * What the route's standing says about a call: nothing runs on an unverified route, on one that the operator set to
 * `read_only` only `read` tools do, and a run that plays a contract scenario runs nothing at all.
 */
export async function routeFinding(
  deps: Deps,
  run: AdmittedRun,
  effect: EffectClass,
): Promise<Finding | null> {
  if (run.plan.contract !== null) {
    return { rule: "contract-run", decision: "forbid", reason: "a contract scenario runs no tool" };
  }
  const route = deps.routes.get(run.route);
  if (route?.effects === "read_only") {
    if (effect === "read") return null;
    return { rule: "route-read-only", decision: "forbid", reason: "the operator lets this route only read" };
  }
  const scope = route === undefined ? null : reportScope(route, run.model);
  if (route !== undefined && scope !== null) {
    const adapter = ADAPTERS[route.family].version;
    if (await routeVerified(deps, { route: run.route, adapter, covers: scope })) return null;
  }
  return {
    rule: "route-unverified",
    decision: "forbid",
    reason: "no contract report shows that this route keeps its family's contract",
  };
}
