import { sealBody, turnKey, type TurnParts } from "@airlock/core/record";
import type { ErrorClass } from "@airlock/core/fault";
import { sendEnded } from "@airlock/core/queue";
import { leavePool, readCall, readTurn, type FinalRunState, type RefusedOutput } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import { storeReport } from "../contract/store-report.ts";
import type { Deps } from "../deps.ts";
import { dropEarly } from "../settlement/drop-early.ts";
import { settledEvent } from "../settlement/settled-event.ts";
import { lastText } from "./last-text.ts";
import { tellEnded } from "./tell-ended.ts";

export interface Ending {
  readonly state: FinalRunState;
  readonly errorClass: ErrorClass | null;
  readonly detail?: string;
  /** the output that is not taken, where the run ends for one */
  readonly refused?: RefusedOutput;
  readonly artifact?: { readonly kind: string; readonly content: string };
}

/**
 * Endings short of an artifact, by a bound or by somebody's decision: what the run had by then is handed back, as a part and
 * never as the artifact. What a provider's policy stopped, or a person cancelled, is not.
 */
const HANDS_BACK: ReadonlySet<FinalRunState> = new Set([
  "denied",
  "escalated",
  "outcome_unknown",
  "truncated",
]);

/** Ends a run once: what had not been released is cancelled, what runs is left to its own end. */
export async function endRun(deps: Deps, turn: TurnParts, asked: Ending): Promise<void> {
  const { run } = turn;
  const ending = await asKnown(deps, run, asked);
  const { state, errorClass, artifact } = ending;
  if (state !== "completed" && state !== "cancelled") await deps.store.noteRefused(run);
  await cancelWaitingCalls(deps, turn);
  await dropEarly(deps, turn);
  const keys = runKeys(run);
  const sealed = (place: string, text: string): string =>
    sealBody(deps.keyring, { seal: "run", place }, text);
  const ended = await deps.store.endRun(turn, {
    state,
    fields: {
      errorClass,
      detail: ending.detail,
      artifactKind: artifact?.kind,
      artifact: artifact === undefined ? undefined : sealed(`${keys.run}#artifact`, artifact.content),
    },
    refused: ending.refused,
    ...(HANDS_BACK.has(state) && artifact === undefined
      ? { partial: sealed(keys.partial, await lastText(deps, turn)) }
      : {}),
    events: [{ type: "run_ended", state, errorClass }],
  });
  await dropEarly(deps, turn); // again: until here one more could be granted
  if (ended) {
    deps.log.write("info", "run_ended", { run, state, errorClass });
    deps.metrics.count("airlock_runs_ended_total", { state });
  }
  await tellEnded(deps, run);
  await storeReport(deps, run);
  await leavePool(deps.redis, run);
  await sendEnded(deps.redis, run);
  await watchCallsOut(deps, turn);
}

/** Nobody can call a run completed as long as nobody knows what one of its calls did: it keeps its artifact and says so. */
async function asKnown({ redis }: Deps, run: string, ending: Ending): Promise<Ending> {
  if (ending.state !== "completed" || (await redis.exists(runKeys(run).unknown)) === 0) return ending;
  const detail = "it is finished, but nobody knows yet what one of its calls did";
  return { ...ending, state: "outcome_unknown", errorClass: "OUTCOME_UNKNOWN", detail };
}

/** What an executor may still hold when the run ends is watched until its end is told, so that none is forgotten. */
async function watchCallsOut(deps: Deps, turn: TurnParts): Promise<void> {
  const hash = await readTurn(deps.redis, turn.run, turn.turn);
  const out = [...(hash?.calls.values() ?? [])].some(({ stage }) => stage === "released");
  if (out) await deps.store.keepOpen(turnKey(turn), deps.config.openMs);
  else await deps.store.dropOpen(turnKey(turn));
}

async function cancelWaitingCalls(deps: Deps, { run, turn }: TurnParts): Promise<void> {
  const hash = await readTurn(deps.redis, run, turn);
  for (const [itemKey, { stage }] of hash?.calls ?? []) {
    if (stage !== "waiting") continue;
    const call = await readCall(deps.redis, itemKey);
    const settlement = { settled: "CANCELLED", errorClass: "CANCELLED" } as const;
    const events = [settledEvent(itemKey, call, settlement)];
    await deps.store.settle(itemKey, { fields: settlement, events, ifGrant: call?.voidGrant ?? 0 });
  }
}
