// Takes the committed output of a candidate_complete response, gives a completed run with its artifact, a check of it in
// the workspace where its kind asks for one, or a corrective turn that says precisely what is wrong.
import { checkOutput } from "../artifact/check-output.ts";
import { correctOutput } from "../artifact/correct-output.ts";
import { readOutput } from "../artifact/read-output.ts";
import type { Deps } from "../deps.ts";
import { endRun } from "./end-run.ts";
import type { Followed } from "./log-response.ts";
import type { Committed } from "./committed.ts";

export async function judgeOutput(deps: Deps, { body, run, turn }: Committed): Promise<Followed | null> {
  const { result, check } = await readOutput(deps, run, body);
  if (!result.ok) {
    const { maxOutputTokens } = turn;
    const { reason } = result;
    return correctOutput(deps, { run, attempt: body, leaves: "streaming", maxOutputTokens, reason });
  }
  if (check !== null) return checkOutput(deps, { run, attempt: body }, "check");
  await endRun(deps, body, { state: "completed", errorClass: null, artifact: result.artifact });
  return "complete_run";
}
