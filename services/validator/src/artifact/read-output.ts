import {
  artifactCheck,
  validateArtifact,
  type ArtifactCheck,
  type ArtifactExpectation,
  type ArtifactResult,
} from "@airlock/core/artifact";
import type { ResponseBody } from "@airlock/core/contract";
import { writeScope } from "@airlock/core/policy";
import { readSpec } from "@airlock/core/run";
import type { Deps } from "../deps.ts";
import { stitchedText } from "../outcome/output-text.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";

export interface Output {
  readonly expect: ArtifactExpectation;
  readonly text: string;
  readonly result: ArtifactResult;
  /** what the workspace still has to say; null where the output decides alone */
  readonly check: ArtifactCheck | null;
}

/** A response's output, from signed records and the submitted spec, with all that can be said of it here. */
export async function readOutput(deps: Deps, run: AdmittedRun, body: ResponseBody): Promise<Output> {
  const { expect } = await readSpec(deps, body.run, run.plan.specDigest);
  const text = await stitchedText(deps, body);
  const policy = deps.policies.get(run.policy)?.enforced;
  const writes = policy === undefined ? null : writeScope(policy);
  return { expect, text, result: validateArtifact(expect, text, writes), check: artifactCheck(expect, text) };
}
