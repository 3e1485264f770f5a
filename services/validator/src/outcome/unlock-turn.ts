import { callDependencies, openClaims, readCall, type CallHash, type CallStage } from "@airlock/core/run";
import { askPeople } from "../approval/ask-people.ts";
import type { Deps } from "../deps.ts";
import { dropEarly } from "../settlement/drop-early.ts";
import { decideAgain } from "../release/release-call.ts";
import { endOver } from "./end-over.ts";
import type { Followed } from "./log-response.ts";
import type { Committed, JudgedCalls } from "./committed.ts";

interface Unlocked {
  readonly followed: Followed | null;
  /** calls whose way has ended */
  readonly settled: readonly string[];
}

/**
 * Unlocks the effects of a committed `action_required`: each call gets its stage and what it waits for, and the run's
 * budgets are charged, all in one step. A run over its budget ends before anything is released.
 */
export async function unlockTurn(deps: Deps, committed: Committed): Promise<Unlocked> {
  const { body, run } = committed;
  const calls = await takeOver(deps, committed);
  const runnable = [...calls].filter(([, call]) => call.settled === undefined);
  const claimed = runnable.flatMap(([itemKey, { claims }]) =>
    claims === undefined ? [] : [{ itemKey, claims: openClaims(deps.keyring, itemKey, claims) }],
  );
  const stages = new Map<string, CallStage>(
    [...calls].map(([itemKey, call]) => [itemKey, call.settled === undefined ? "waiting" : "settled"]),
  );
  const asked = runnable.filter(([, call]) => call.state === "AWAITING_APPROVAL");
  const { answer, settled } = await deps.store.unlock(body, {
    stages,
    needs: callDependencies(claimed, run.plan.parallel),
    // early ones were charged when they were granted
    calls: [...calls.values()].filter(({ grant }) => grant === 0).length,
    mutatingCalls: runnable.filter(([, call]) => call.effect !== "read").length,
    limits: run.limits,
    runState: asked.length > 0 ? "awaiting_approval" : "running",
  });
  switch (answer) {
    case "unlocked":
      for (const [itemKey] of asked) await askPeople(deps, run, itemKey);
      return { followed: "unlock_effects", settled: settledNow(calls, settled) };
    case "late":
    case "over_calls":
    case "over_mutating":
      await endOver(deps, body, { over: answer, calls: runnable.map(([itemKey]) => itemKey) });
      return { followed: "end_run", settled: [...calls.keys()] };
    case "stale":
      return { followed: null, settled: [] };
  }
}

/** Calls that ran early become the turn's own where the committed record of their item still lets them run. */
async function takeOver(deps: Deps, { body, run, calls }: Committed): Promise<JudgedCalls> {
  const granted = [...calls].filter(([, call]) => call.grant > 0);
  const sound: string[] = [];
  for (const [itemKey, call] of granted) {
    const { grantable } = await decideAgain(deps, run, itemKey);
    if (grantable !== null && grantable.argumentsDigest === call.argumentsDigest) sound.push(itemKey);
  }
  await dropEarly(deps, body, new Set(sound));
  if (sound.length === granted.length) return calls;
  const again = [...calls.keys()].map(async (key) => [key, await readCall(deps.redis, key)] as const);
  const read = (await Promise.all(again)).flatMap(([key, call]): [string, CallHash][] =>
    call === null ? [] : [[key, call]],
  );
  return new Map(read);
}

/** Whose way has ended here, for the log: of what was dropped it was told then. */
function settledNow(calls: JudgedCalls, settled: readonly string[]): readonly string[] {
  return settled.filter((key) => calls.get(key)?.dropped === undefined);
}
