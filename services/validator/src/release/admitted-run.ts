// Takes a run's id, gives its record as the submitter's sealed spec confirms it;
// refuses one in which anything that decides what may run, and where, is not what was submitted.
import { isDeepStrictEqual } from "node:util";
import { AirlockError } from "@airlock/core/fault";
import { readSpec, type RunSpec } from "@airlock/core/run";
import { readAdmitted } from "../admission/read-admitted.ts";
import type { Deps } from "../deps.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";

export async function admittedRun(deps: Deps, run: string): Promise<AdmittedRun | null> {
  const admitted = await readAdmitted(deps, run);
  if (admitted === null) return null;
  const spec = await readSpec(deps, run, admitted.plan.specDigest);
  if (isDeepStrictEqual(submitted(spec), recorded(admitted))) return admitted;
  throw new AirlockError("RECORD_INVALID", `the record of run ${run} is not the one that was submitted`);
}

function submitted(spec: RunSpec) {
  const { route, model, policy, tools, workspace = null, contract = null } = spec;
  return { route, model, policy, tools, workspace, contract };
}

function recorded({ route, model, policy, plan }: AdmittedRun): ReturnType<typeof submitted> {
  const { workspace, contract } = plan;
  return { route, model, policy, tools: plan.tools.map(({ name }) => name), workspace, contract };
}
