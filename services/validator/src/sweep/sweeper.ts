// Takes the turns that have had no sign of progress for a while, gives each what it lacks: its attempt or its grants are
// published again, overdue approvals expire, a run past its deadline ends, and so does the watch over an ended run's calls;
// one validator at a time does this.
import { setTimeout as sleep } from "node:timers/promises";
import { parseTurnKey, turnKey, type TurnParts } from "@airlock/core/record";
import { readCall, readRun, readTurn, recountPools, type TurnHash } from "@airlock/core/run";
import { errorFields } from "@airlock/core/runtime";
import { globalKeys, redisNow } from "@airlock/core/store";
import { followAnswers } from "../approval/follow-answers.ts";
import { sweepApprovals } from "../approval/sweep-approvals.ts";
import type { Deps } from "../deps.ts";
import { endOver } from "../outcome/end-over.ts";
import { tellEnded } from "../outcome/tell-ended.ts";
import { publishTurn } from "../outcome/publish-turn.ts";
import { endLost } from "../pool/end-lost.ts";
import { publishAgain, republishCall } from "../release/release-call.ts";
import { advanceTurn } from "../settlement/advance-turn.ts";

const BATCH = 100;
const RECOUNT_MS = 60_000;

/** Sweeps until the signal aborts. A failed sweep is logged and tried again. */
export async function runSweeper(deps: Deps, owner: string, signal: AbortSignal): Promise<void> {
  let recountAt = 0;
  while (!signal.aborted) {
    try {
      const holds = await holdLease(deps, owner);
      if (holds) await sweep(deps);
      if (holds) await sweepApprovals(deps);
      if (holds && performance.now() >= recountAt) {
        await recountPools(deps.redis);
        recountAt = performance.now() + RECOUNT_MS;
      }
    } catch (error) {
      if (!signal.aborted)
        deps.log.write("warn", "handler_failed", { place: "sweeper", ...errorFields(error) });
    }
    await sleep(deps.config.sweepMs, undefined, { signal }).catch(() => undefined);
  }
}

async function holdLease(deps: Deps, owner: string): Promise<boolean> {
  const leaseMs = deps.config.sweepMs * 5;
  const taken = await deps.redis.set(globalKeys.sweeper, owner, "PX", leaseMs, "NX");
  if (taken !== null) return true;
  if ((await deps.redis.get(globalKeys.sweeper)) !== owner) return false;
  await deps.redis.pexpire(globalKeys.sweeper, leaseMs);
  return true;
}

/** Looks once at every open turn whose time has come; of runs that expired, the lists are the only thing to clear. */
export async function sweep(deps: Deps): Promise<void> {
  await deps.store.forgetGone(deps.config.runMs);
  const due = await deps.redis.zrangebyscore(globalKeys.open, 0, Date.now(), "LIMIT", 0, BATCH);
  for (const member of due) {
    const parts = parseTurnKey(member);
    if (parts === null) await deps.store.dropOpen(member);
    else await sweepTurn(deps, parts).catch((error: unknown) => setAside(deps, parts, error));
  }
}

/** One run whose records can't be read must not keep the sweeper from all others. */
async function setAside(deps: Deps, parts: TurnParts, error: unknown): Promise<void> {
  const { run, turn } = parts;
  deps.log.write("warn", "handler_failed", { place: "sweeper", run, turn, ...errorFields(error) });
  await deps.store.keepOpen(turnKey(parts), deps.config.openMs);
}

async function sweepTurn(deps: Deps, parts: TurnParts): Promise<void> {
  const [run, turn] = await Promise.all([
    readRun(deps.redis, parts.run),
    readTurn(deps.redis, parts.run, parts.turn),
  ]);
  if (run === null || turn === null) return deps.store.dropOpen(turnKey(parts));
  if (run.endedAt !== undefined) return sweepEnded(deps, parts, turn);
  const now = await redisNow(deps.redis);
  if (run.deadlineAt !== undefined && now >= run.deadlineAt) {
    return endOver(deps, parts, { over: "late" });
  }
  await deps.store.keepOpen(turnKey(parts), deps.config.openMs);
  deps.log.write("debug", "turn_republished", { run: parts.run, turn: parts.turn, state: turn.state });
  switch (turn.state) {
    case "streaming":
      return publishTurn(deps, parts);
    case "calls":
      if (await endLost(deps, parts, { run, now })) return;
      await sweepCalls(deps, turn);
      return advanceTurn(deps, parts);
    case "closed":
      await publishTurn(deps, { run: parts.run, turn: run.turn });
      return deps.store.dropOpen(turnKey(parts));
  }
}

/** Of an ended run only the calls matter that an executor may hold: the ledger has their end, or will find it out. */
async function sweepEnded(deps: Deps, parts: TurnParts, turn: TurnHash): Promise<void> {
  await tellEnded(deps, parts.run);
  const out = [...turn.calls].filter(([, { stage }]) => stage === "released");
  if (out.length === 0) return deps.store.dropOpen(turnKey(parts));
  await deps.store.keepOpen(turnKey(parts), deps.config.openMs);
  for (const [itemKey] of out) {
    const call = await readCall(deps.redis, itemKey);
    if (call !== null) await publishAgain(deps, call);
  }
}

async function sweepCalls(deps: Deps, turn: TurnHash): Promise<void> {
  for (const [itemKey, { stage }] of turn.calls) {
    if (stage === "settled") continue;
    const call = await readCall(deps.redis, itemKey);
    if (call === null) continue;
    // also one that is on no list, because a crash came before it
    if (call.state === "AWAITING_APPROVAL" && call.settled === undefined) {
      await followAnswers(deps, itemKey, { why: "swept", nonce: null });
    }
    if (stage === "released") await republishCall(deps, itemKey, call);
  }
}
