import { assertNever } from "@airlock/core/fault";
import { forbidden, type Finding } from "@airlock/core/policy";
import type { EffectClass } from "@airlock/core/tool";
import { routeStanding } from "../contract/route-standing.ts";
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
  const standing = await routeStanding(deps, run);
  switch (standing) {
    case "verified":
      return null;
    case "contract":
      return forbidden("contract-run", "a contract scenario runs no tool");
    case "read_only":
      if (effect === "read") return null;
      return forbidden("route-read-only", "the operator lets this route only read");
    case "unverified":
      return forbidden(
        "route-unverified",
        "no contract report shows that this route keeps its family's contract",
      );
    default:
      return assertNever(standing);
  }
}
