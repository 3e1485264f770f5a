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
  const asked = await submitted(deps, run, admitted.plan.specDigest);
  if (isDeepStrictEqual(asked, recorded(admitted))) return admitted;
  throw new AirlockError("RECORD_INVALID", `the record of run ${run} is not the one that was submitted`);
}

type Submitted = ReturnType<typeof decisive>;

/** Of specs that were opened lately, by their digest: what a digest stands for never changes. */
const opened = new Map<string, Submitted>();
const OPENED_AT_MOST = 2_000;

async function submitted(deps: Deps, run: string, specDigest: string): Promise<Submitted> {
  const known = opened.get(specDigest);
  if (known !== undefined) return known;
  const asked = decisive(await readSpec(deps, run, specDigest));
  const oldest = opened.size < OPENED_AT_MOST ? undefined : opened.keys().next().value;
  if (oldest !== undefined) opened.delete(oldest);
  opened.set(specDigest, asked);
  return asked;
}

function decisive(spec: RunSpec) {
  const { route, model, policy, tools, workspace = null, contract = null } = spec;
  return { route, model, policy, tools, workspace, contract };
}

function recorded({ route, model, policy, plan }: AdmittedRun): Submitted {
  const { workspace, contract } = plan;
  return { route, model, policy, tools: plan.tools.map(({ name }) => name), workspace, contract };
}
