// Takes the committed output of a candidate_complete response, gives a completed run with its artifact,
// or a bounded number of corrective turns that say precisely what is wrong, and then an escalation.
import { validateArtifact } from "@airlock/core/artifact";
import { readSpec, sealPiece } from "@airlock/core/run";
import type { Deps } from "../deps.ts";
import { openNextTurn } from "../settlement/close-turn.ts";
import { endRun } from "./end-run.ts";
import type { Followed } from "./log-response.ts";
import type { Committed } from "./committed.ts";
import { stitchedText } from "./output-text.ts";

export async function judgeOutput(deps: Deps, { body, run, turn }: Committed): Promise<Followed> {
  const spec = await readSpec(deps, body.run, run.plan.specDigest);
  const result = validateArtifact(spec.expect, await stitchedText(deps, body));
  if (result.ok) {
    await endRun(deps, body, { state: "completed", errorClass: null, artifact: result.artifact });
    return "complete_run";
  }
  await deps.store.noteRefused(body.run);
  if (run.corrections >= run.plan.limits.corrections || body.turn >= run.plan.limits.turns) {
    const detail = result.reason;
    await endRun(deps, body, { state: "escalated", errorClass: "CORRECTIONS_EXHAUSTED", detail });
    return "end_run";
  }
  const correction = {
    type: "correction",
    text: `The final output is not usable: ${result.reason}. Send it again, corrected.`,
  } as const;
  await openNextTurn(deps, body, {
    leaves: "streaming",
    pieces: [sealPiece(deps.keyring, { run: body.run, turn: body.turn, phase: "results" }, [correction])],
    maxOutputTokens: turn.maxOutputTokens,
    counts: "corrections",
    stitched: false,
  });
  return "retry_attempt";
}
