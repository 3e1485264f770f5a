import { forbidden, type Finding } from "@airlock/core/policy";
import { killedBy } from "@airlock/core/run";
import type { Deps } from "../deps.ts";
import type { AdmittedRun } from "./judgement.ts";

/** What a person who has stopped the run, its repository, the tool or everything says about a call. */
export async function killFinding(
  { redis }: Pick<Deps, "redis">,
  run: AdmittedRun,
  call: { readonly run: string; readonly tool: string },
): Promise<Finding | null> {
  const target = await killedBy(redis, { ...call, source: run.plan.workspace?.source });
  return target === null ? null : forbidden("kill-switch", "a person has stopped this");
}
