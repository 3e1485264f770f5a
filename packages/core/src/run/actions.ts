import { z } from "zod";
import { FINDINGS } from "../contract/index.ts";
import { namesOf } from "../fault/index.ts";
import { runKeys, type Redis } from "../store/index.ts";
import type { FinalRunState } from "./states.ts";

/** What people may do about an ended run, and the ends that each may follow. */
export const ACTIONS = {
  requeue: { from: ["escalated", "truncated", "failed"] },
  abandon: { from: ["escalated", "truncated", "failed", "denied", "policy_stopped"] },
} as const satisfies Record<string, { readonly from: readonly FinalRunState[] }>;

/** All that people do about runs: to an ended run as a whole, or to a call of unknown outcome. */
const ACTION_KINDS = [...namesOf(ACTIONS), "resolve"] as const;
type ActionKind = (typeof ACTION_KINDS)[number];

/** What came of an action. */
export const ACTION_ANSWERS = {
  requeued_attempt: { done: true, meaning: "a fresh attempt of its turn is on the way" },
  requeued_calls: {
    done: true,
    meaning: "its calls stand as they ended, and what follows them is on the way",
  },
  abandoned: { done: true, meaning: "it is given up" },
  resolved: { done: true, meaning: "the call counts as what was found out about it" },
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
  not_unknown: { done: false, meaning: "nobody has to find out what became of that call" },
  still_reconciled: {
    done: false,
    meaning: "the executors still find out themselves what became of it; try again in a minute",
  },
  resolved_before: { done: false, meaning: "somebody resolved it before" },
  no_call: { done: false, meaning: "no executor ever began such a call" },
  no_run: { done: false, meaning: "there is no such run, or its retention is over" },
} as const satisfies Record<string, { readonly done: boolean; readonly meaning: string }>;
export type ActionAnswer = keyof typeof ACTION_ANSWERS;
export const actionAnswerSchema = z.enum(namesOf(ACTION_ANSWERS));

/** An action as it stands in a run's `:actions` and in the audit. */
export const actionRecordSchema = z.object({
  id: z.string(),
  kind: z.enum(ACTION_KINDS),
  run: z.string(),
  target: z.string(),
  round: z.number(),
  by: z.string(),
  reason: z.string(),
  /** of a call of unknown outcome */
  finding: z.enum(FINDINGS).exactOptional(),
  /** turn and attempt that the run stood at */
  turn: z.number(),
  attempt: z.number(),
  answer: actionAnswerSchema,
  /** milliseconds of Redis' clock */
  at: z.number(),
});
export type ActionRecord = z.infer<typeof actionRecordSchema>;

/** An action before its answer. */
export type Action<Kind extends ActionKind = ActionKind> = Omit<ActionRecord, "answer" | "at" | "kind"> & {
  readonly kind: Kind;
};
export type RunAction = Action<keyof typeof ACTIONS>;

/** All actions on a run, oldest first. */
export async function readActions(redis: Redis, run: string): Promise<readonly ActionRecord[]> {
  const texts = await redis.hvals(runKeys(run).actions);
  return texts
    .map((text) => actionRecordSchema.parse(JSON.parse(text)))
    .toSorted((a, b) => a.at - b.at || a.id.localeCompare(b.id));
}
