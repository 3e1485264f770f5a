// Takes the key of a call that the validator makes itself, gives what it asks for and policy's decision on it, both
// worked out anew from signed records; refuses one that the committed output doesn't lead to.
import { APPLY_PATCH, type ToolManifest } from "@airlock/core/tool";
import type { JsonObject } from "@airlock/core/json";
import { ownCallKey, ownCallOf, parseItemKey, type AttemptParts, type OwnCall } from "@airlock/core/record";
import type { Deps } from "../deps.ts";
import { asRead } from "../outcome/as-read.ts";
import { committedResponse } from "../outcome/output-text.ts";
import { decideCall } from "../verdict/decide-call.ts";
import type { AdmittedRun, Judgement } from "../verdict/judgement.ts";
import { checkFinding } from "./check-finding.ts";
import { readOutput, type Output } from "./read-output.ts";

export interface OwnCallJudged {
  readonly manifest: ToolManifest;
  readonly args: JsonObject;
  readonly judgement: Judgement;
}

export async function judgeOwnCall(
  deps: Deps,
  run: AdmittedRun,
  itemKey: string,
): Promise<OwnCallJudged | null> {
  const [parts, own] = [parseItemKey(itemKey), ownCallOf(itemKey)];
  if (parts === null || own === null) return null;
  const body = asRead(deps, run, await committedResponse(deps, parts));
  if (body.attempt !== parts.attempt || body.outcome.kind !== "candidate_complete") return null;
  const output = await readOutput(deps, run, body);
  if (!output.result.ok) return null;
  const asked = await askedFor(deps, own, { output, attempt: parts });
  if (asked === null) return null;
  return { ...asked, judgement: await decideCall(deps, run, { itemKey, ...asked }) };
}

async function askedFor(
  deps: Deps,
  own: OwnCall,
  { output, attempt }: { readonly output: Output; readonly attempt: AttemptParts },
): Promise<Pick<OwnCallJudged, "manifest" | "args"> | null> {
  if (own === "check") return output.check;
  if (output.expect.kind !== "patch" || !output.expect.apply) return null;
  const checked = await checkFinding(deps, ownCallKey(attempt, "check"));
  return checked.kind === "passed" ? { manifest: APPLY_PATCH, args: { patch: output.text } } : null;
}
