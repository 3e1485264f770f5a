import { z } from "zod";
import { namesOf } from "../fault/index.ts";

/** Run states; an ending carries the exit code of `run --wait`. docs/data-flow.md shows this table. */
export const RUN_STATES = {
  queued: { final: false, exitCode: null, meaning: "submitted, not yet admitted" },
  running: { final: false, exitCode: null, meaning: "a turn is open" },
  awaiting_approval: { final: false, exitCode: null, meaning: "a call waits for a person" },
  completed: { final: true, exitCode: 0, meaning: "the artifact was validated" },
  failed: { final: true, exitCode: 1, meaning: "refused at the door, or a fault that no retry mends" },
  denied: { final: true, exitCode: 3, meaning: "an approval was denied or ran out" },
  policy_stopped: { final: true, exitCode: 4, meaning: "the provider's own policy ended it" },
  truncated: { final: true, exitCode: 5, meaning: "the output was cut and no budget was left" },
  escalated: { final: true, exitCode: 6, meaning: "a bound was reached; a person has to look" },
  outcome_unknown: { final: true, exitCode: 7, meaning: "nobody knows yet what one of its calls did" },
  cancelled: { final: true, exitCode: 8, meaning: "a person cancelled it" },
  abandoned: { final: true, exitCode: 9, meaning: "a person looked at its end and gave it up" },
} as const satisfies Record<
  string,
  { readonly final: boolean; readonly exitCode: number | null; readonly meaning: string }
>;

export type RunState = keyof typeof RUN_STATES;
export type FinalRunState = {
  [State in RunState]: (typeof RUN_STATES)[State]["final"] extends true ? State : never;
}[RunState];
export const runStateSchema = z.enum(namesOf(RUN_STATES));

export function isFinalRun(state: RunState): state is FinalRunState {
  return RUN_STATES[state].final;
}
