import { readRun } from "@airlock/core/run";
import type { Deps } from "../deps.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";
import { runLimits } from "./run-limits.ts";

/** A run's record with the limits that its policy leaves it now; null where there is none, or it was not admitted. */
export async function readAdmitted(
  deps: Pick<Deps, "redis" | "policies">,
  run: string,
): Promise<AdmittedRun | null> {
  const hash = await readRun(deps.redis, run);
  if (hash?.plan === undefined) return null;
  const { limits, ...plan } = hash.plan;
  return { ...hash, plan, limits: runLimits(deps.policies, hash.policy, limits) };
}
