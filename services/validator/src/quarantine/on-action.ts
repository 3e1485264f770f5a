// Takes a signed action on a run that ended and that a person has to look at, gives the run going on again with a fresh
// attempt, or given up; refuses what is not sound, answers every command once, and tells the audit of each.
import type { ActionBody, RunEvent } from "@airlock/core/contract";
import { parseAttemptKey, parseItemKey, parseTurnKey, turnKey } from "@airlock/core/record";
import {
  ACTION_ANSWERS,
  readRun,
  readTurn,
  type ActionAnswer,
  type RunAction,
  type RunHash,
  type RunPlan,
} from "@airlock/core/run";
import type { Deps } from "../deps.ts";
import { publishTurn } from "../outcome/publish-turn.ts";
import { advanceTurn } from "../settlement/advance-turn.ts";
import { raisedLimits } from "./raised-limits.ts";
import { wellFormed } from "./well-formed.ts";

export async function onAction(deps: Deps, body: ActionBody): Promise<void> {
  const { run, kind } = body;
  const hash = await readRun(deps.redis, run);
  const turn = hash === null ? null : await readTurn(deps.redis, run, hash.turn);
  const action = describe(body, { turn: hash?.turn ?? 0, attempt: turn?.attempt ?? 0 });
  const answer =
    hash === null ? "no_run" : await act(deps, body, { action, run: { ...hash, plan: hash.plan ?? null } });
  await deps.store.audit(action, answer);
  deps.log.write("info", "run_acted_on", { run, state: kind, outcome: answer });
  if (!ACTION_ANSWERS[answer].done || kind === "abandon") return;
  await publishTurn(deps, action);
  await advanceTurn(deps, action);
}

/** With the limits that it was submitted with: they are what a person raises. */
type ActedOn = Omit<RunHash, "plan"> & { readonly plan: RunPlan | null };

async function act(
  deps: Deps,
  body: ActionBody,
  { action, run }: { readonly action: RunAction; readonly run: ActedOn },
): Promise<ActionAnswer> {
  const misplaced = targetFault(body, action);
  if (misplaced !== null) return deps.store.noteAnswer(action, misplaced);
  if (body.kind === "abandon") {
    return deps.store.abandon(action, [{ type: "run_abandoned", by: action.by }]);
  }
  const { plan } = run;
  if (plan === null) return deps.store.noteAnswer(action, "never_admitted");
  if (plan.contract !== null) return deps.store.noteAnswer(action, "contract_run");
  const limits = raisedLimits(plan.limits, body.raise);
  if (limits === null) return deps.store.noteAnswer(action, "raise_refused");
  const { turn, attempt, by } = action;
  const requeued: RunEvent = { type: "run_requeued", by, turn };
  await deps.store.keepOpen(turnKey(action), deps.config.openMs);
  return deps.store.requeue(action, {
    fields: { plan: { ...plan, limits } },
    maxOutputTokens: body.raise["maxOutputTokens"] ?? null,
    deadlineMs: limits.deadlineMs,
    freshAttempt: [requeued, { type: "attempt_opened", turn, attempt: attempt + 1, reason: null }],
    callsStand: [requeued],
  });
}

/** The run itself, or a part of the turn that it stands at. */
function targetFault({ run, target }: ActionBody, { turn }: RunAction): ActionAnswer | null {
  if (target === run) return null;
  const part = parseTurnKey(target) ?? parseAttemptKey(target) ?? parseItemKey(target);
  if (part?.run !== run) return "target_refused";
  return part.turn === turn ? null : "moved_on";
}

function describe(body: ActionBody, place: Pick<RunAction, "turn" | "attempt">): RunAction {
  const { id, kind, run, target, round, requestedBy, reason } = body;
  return {
    id,
    kind,
    run,
    target: wellFormed(target),
    round,
    by: wellFormed(requestedBy),
    reason: wellFormed(reason),
    ...place,
  };
}
