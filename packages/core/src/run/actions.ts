import { z } from "zod";
import { namesOf } from "../fault/index.ts";
import { runKeys, type Redis } from "../store/index.ts";
import type { FinalRunState } from "./states.ts";

/** What people may do about an ended run, and the ends that each may follow. */
export const ACTIONS = {
  requeue: { from: ["escalated", "truncated", "failed"] },
  abandon: { from: ["escalated", "truncated", "failed", "denied", "policy_stopped"] },
} as const satisfies Record<string, { readonly from: readonly FinalRunState[] }>;

/** What came of an action. */
export const ACTION_ANSWERS = {
  requeued_attempt: { done: true, meaning: "a fresh attempt of its turn is on the way" },
  requeued_calls: {
    done: true,
    meaning: "its calls stand as they ended, and what follows them is on the way",
  },
  abandoned: { done: true, meaning: "it is given up" },
  not_ended: { done: false, meaning: "the run goes on; `airlock cancel` ends it" },
  lost: { done: false, meaning: "somebody acted on this end before" },
  wrong_state: { done: false, meaning: "a run that ended so can't be treated so" },
  moved_on: { done: false, meaning: "the run went on from that turn; act on the run itself" },
  calls_open: { done: false, meaning: "a call of the turn may still run; try again when it has ended" },
  contract_run: {
    done: false,
    meaning: "a run that plays a contract scenario is played anew by `airlock contract`",
  },
  never_admitted: { done: false, meaning: "the run was refused at the door; submit it again" },
  raise_refused: { done: false, meaning: "a limit can only be raised, to a value that a spec may have" },
  target_refused: { done: false, meaning: "the target is neither the run nor a part of it" },
  no_run: { done: false, meaning: "there is no such run, or its retention is over" },
} as const satisfies Record<string, { readonly done: boolean; readonly meaning: string }>;
export type ActionAnswer = keyof typeof ACTION_ANSWERS;
export const actionAnswerSchema = z.enum(namesOf(ACTION_ANSWERS));

/** An action as it stands in a run's `:actions` and in the audit. */
export const actionRecordSchema = z.object({
  id: z.string(),
  kind: z.enum(namesOf(ACTIONS)),
  run: z.string(),
  target: z.string(),
  round: z.number(),
  by: z.string(),
  reason: z.string(),
  /** turn and attempt that the run stood at */
  turn: z.number(),
  attempt: z.number(),
  answer: actionAnswerSchema,
  /** milliseconds of Redis' clock */
  at: z.number(),
});
export type ActionRecord = z.infer<typeof actionRecordSchema>;

/** All actions on a run, oldest first. */
export async function readActions(redis: Redis, run: string): Promise<readonly ActionRecord[]> {
  const texts = await redis.hvals(runKeys(run).actions);
  return texts
    .map((text) => actionRecordSchema.parse(JSON.parse(text)))
    .toSorted((a, b) => a.at - b.at || a.id.localeCompare(b.id));
}
