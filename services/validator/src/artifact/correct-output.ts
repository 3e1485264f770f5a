import type { AttemptParts } from "@airlock/core/record";
import { sealPiece } from "@airlock/core/run";
import { redisNow } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { endRun } from "../outcome/end-run.ts";
import type { Followed } from "../outcome/log-response.ts";
import { spentForNextTurn } from "../outcome/spent-budget.ts";
import { openNextTurn } from "../settlement/open-next-turn.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";

export interface Refused {
  readonly run: AdmittedRun;
  /** the one whose output it was */
  readonly attempt: AttemptParts;
  /** the state that its turn is in */
  readonly leaves: "streaming" | "calls";
  readonly maxOutputTokens: number | null;
  /** what the model is told */
  readonly reason: string;
  /** what the run's record says of it, which holds no content; left out: the same */
  readonly recorded?: string;
}

/** A turn in which the model is told what is wrong, as long as the run has corrections and budgets left. */
export async function correctOutput(deps: Deps, refused: Refused): Promise<Followed> {
  const { run, attempt, leaves, maxOutputTokens, reason, recorded = reason } = refused;
  await deps.store.noteRefused(attempt.run);
  const exhausted = run.corrections >= run.limits.corrections ? ("CORRECTIONS_EXHAUSTED" as const) : null;
  const spent = exhausted ?? spentForNextTurn(run, attempt.turn, await redisNow(deps.redis));
  if (spent !== null) {
    const refused = { attempt: attempt.attempt, reason: recorded };
    await endRun(deps, attempt, { state: "escalated", errorClass: spent, detail: recorded, refused });
    return "end_run";
  }
  const correction = {
    type: "correction",
    text: `The final output is not usable: ${reason}. Send it again, corrected and whole.`,
  } as const;
  await openNextTurn(
    deps,
    { run, turn: attempt },
    {
      leaves,
      pieces: [
        sealPiece(deps.keyring, { run: attempt.run, turn: attempt.turn, phase: "results" }, [correction]),
      ],
      maxOutputTokens,
      counts: "corrections",
      stitched: false,
      refusal: recorded,
    },
  );
  return "retry_attempt";
}
