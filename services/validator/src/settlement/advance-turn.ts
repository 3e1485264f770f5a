// Takes a turn whose effects are unlocked, gives the next thing that is due: calls that became free are released,
// calls that can't run are settled, and a turn whose calls are all settled is closed and followed by the next.
import type { ItemState } from "@airlock/core/call";
import type { ErrorClass } from "@airlock/core/fault";
import { parseItemKey, type TurnParts } from "@airlock/core/record";
import { readCall, readTurn, turnProgress, type CallHash, type TurnHash } from "@airlock/core/run";
import { redisNow } from "@airlock/core/store";
import { readAdmitted } from "../admission/read-admitted.ts";
import { followCheck, isCheckTurn } from "../artifact/follow-check.ts";
import { askPeople } from "../approval/ask-people.ts";
import type { Deps } from "../deps.ts";
import { endOver } from "../outcome/end-over.ts";
import { releaseCall, type ReleaseAnswer } from "../release/release-call.ts";
import type { AdmittedRun, Decided } from "../verdict/judgement.ts";
import { closeTurn } from "./close-turn.ts";
import { settledEvent } from "./settled-event.ts";

/** What the caller has just read. */
interface Known {
  readonly run?: AdmittedRun | null;
  /** the run, held against its spec: its calls can be granted on this reading */
  readonly admitted?: AdmittedRun;
  readonly turn?: TurnHash;
  readonly calls?: ReadonlyMap<string, CallHash>;
}

/** May be repeated at any time: each step compares before it writes. */
export async function advanceTurn(deps: Deps, parts: TurnParts, known: Known = {}): Promise<void> {
  const run = known.admitted ?? known.run ?? (await readAdmitted(deps, parts.run));
  if (run === null || run.endedAt !== undefined) return;
  if (run.deadlineAt !== undefined && (await redisNow(deps.redis)) >= run.deadlineAt)
    return endOver(deps, parts, { over: "late" });
  let turn = known.turn ?? (await readTurn(deps.redis, parts.run, parts.turn));
  if (run.plan.allOrNothing && turn !== null) turn = await holdTogether(deps, turn);
  while (turn !== null && turn.state === "calls") {
    const { free, open } = turnProgress(turn);
    if (open === 0 && !isCheckTurn(turn)) return closeTurn(deps, parts, { run, turn, calls: known.calls });
    turn = open === 0 ? await followCheck(deps, parts, { run, turn }) : await releaseAll(deps, free, known);
  }
}

/** Releases free calls; returns the turn as it stands where one could only be settled, else null. */
async function releaseAll(
  deps: Deps,
  free: readonly string[],
  { admitted, calls }: Known,
): Promise<TurnHash | null> {
  let turn: TurnHash | null = null;
  for (const itemKey of free) {
    const known = calls?.get(itemKey);
    // one that waits for a person is read anew: it may have been approved before its turn was unlocked
    const call = known?.state === "POLICY_APPROVED" ? known : await readCall(deps.redis, itemKey);
    if (call?.state === "AWAITING_APPROVAL") await askPeople(deps, admitted ?? null, itemKey);
    if (call === null || call.state === "AWAITING_APPROVAL") continue;
    const answer = await releaseCall(deps, itemKey, { lastGrant: call.voidGrant ?? 0, admitted, call });
    turn = (await endUngranted(deps, { itemKey, call }, answer)) ?? turn;
  }
  return turn;
}

/** What is kept of why: the decision that refused it, or the person who did, with their words. */
type Kept = Decided & { readonly deniedBy?: string };

/** Why a call is ended without having run. */
const UNGRANTED = {
  /** the last that happens to a hosted tool's request here: its provider runs it */
  answered: { settled: "POLICY_APPROVED", errorClass: null },
  over: { settled: "EXPIRED", errorClass: "GRANT_EXPIRED" },
  refused: { settled: "DENIED", errorClass: "POLICY_CHANGED" },
  stopped: { settled: "DENIED", errorClass: "KILL_SWITCH" },
  denied: { settled: "DENIED", errorClass: "APPROVAL_DENIED" },
  removed: { settled: "DENIED", errorClass: "APPROVAL_REMOVED" },
  unapproved: { settled: "EXPIRED", errorClass: "APPROVAL_EXPIRED" },
} as const satisfies Record<string, { readonly settled: ItemState; readonly errorClass: ErrorClass | null }>;

/** Ends a call that its release found over or refused, with the decision that refused it; null where it found neither. */
export async function endUngranted(
  deps: Deps,
  { itemKey, call }: { readonly itemKey: string; readonly call: CallHash },
  answer: ReleaseAnswer,
): Promise<TurnHash | null> {
  switch (answer.kind) {
    case "released":
    case "passed":
      return null;
    case "over":
    case "answered":
      return endCall(deps, { itemKey, call }, answer.kind);
    case "asks":
      await askAnew(deps, { itemKey, call }, answer.decided);
      return null;
    case "refused":
      return endCall(
        deps,
        { itemKey, call, decided: answer.decided },
        answer.decided.rule === "kill-switch" ? "stopped" : "refused",
      );
  }
}

/** Policy let the call through and asks for people now: it waits for them, and its grants so far are void. */
async function askAnew(
  deps: Deps,
  { itemKey, call }: { readonly itemKey: string; readonly call: CallHash },
  decided: Decided,
): Promise<void> {
  const approvalUntil = (await redisNow(deps.redis)) + deps.config.approvalMs;
  const states = ["SCHEMA_VALID", "AWAITING_APPROVAL"] as const;
  await deps.store.askAgain(itemKey, call.grant, {
    fields: { ...decided, approvalUntil },
    events: states.map((state) => ({
      type: "item_state",
      itemKey,
      state,
      tool: call.tool,
      rule: decided.rule ?? null,
      errorClass: null,
      bytes: null,
    })),
  });
  await askPeople(deps, null, itemKey);
}

/** Ends a call that nothing may run any more; one that was granted since it was read stays as it is. */
export async function endCall(
  deps: Deps,
  ended: { readonly itemKey: string; readonly call: CallHash; readonly decided?: Kept },
  why: keyof typeof UNGRANTED,
): Promise<TurnHash> {
  const { itemKey, call, decided = {} } = ended;
  const settlement = { ...decided, ...UNGRANTED[why] };
  if (why !== "answered") await deps.store.noteRefused(parseItemKey(itemKey)?.run ?? "");
  const events = [settledEvent(itemKey, call, settlement)];
  const { turn } = await deps.store.settle(itemKey, { fields: settlement, events, ifGrant: call.grant });
  return turn;
}

/** What was answered to a provider may be taken for done. */
function hasGone(call: CallHash | null): boolean {
  return call?.settled === "EXECUTED" || call?.settled === "POLICY_APPROVED";
}

/** All or nothing: one refused call refuses the others, and one that still waits holds them all back. */
async function holdTogether(deps: Deps, turn: TurnHash): Promise<TurnHash | null> {
  const calls = await Promise.all(
    [...turn.calls].map(async ([itemKey, { stage }]) => ({
      itemKey,
      stage,
      call: await readCall(deps.redis, itemKey),
    })),
  );
  if (calls.some(({ stage, call }) => stage === "released" || hasGone(call))) return turn;
  const refused = calls.some(({ call }) => call?.settled !== undefined);
  const waits = calls.some(({ call }) => call?.state === "AWAITING_APPROVAL");
  if (!refused) return waits ? null : turn;
  let last: TurnHash | null = turn;
  for (const { itemKey, call } of calls) {
    if (call === null || call.settled !== undefined) continue;
    const settlement = { settled: "DENIED", errorClass: "SIBLING_REFUSED" } as const;
    const events = [settledEvent(itemKey, call, settlement)];
    last = (await deps.store.settle(itemKey, { fields: settlement, events, ifGrant: call.voidGrant ?? 0 }))
      .turn;
  }
  return last;
}
