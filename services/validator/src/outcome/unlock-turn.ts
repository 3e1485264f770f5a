import { callDependencies, openClaims, type CallStage } from "@airlock/core/run";
import type { Deps } from "../deps.ts";
import { endRun } from "./end-run.ts";
import type { Followed } from "./log-response.ts";
import type { Committed } from "./on-response.ts";

/**
 * Unlocks the effects of a committed `action_required`: each call gets its stage and what it waits for, and the run's
 * budgets are charged, all in one step. A run over its budget ends before anything is released.
 */
export async function unlockTurn(deps: Deps, { body, run, calls }: Committed): Promise<Followed | null> {
  const runnable = [...calls].filter(([, call]) => call.settled === undefined);
  const claimed = runnable.flatMap(([itemKey, { claims }]) =>
    claims === undefined ? [] : [{ itemKey, claims: openClaims(deps.keyring, itemKey, claims) }],
  );
  const stages = new Map<string, CallStage>(
    [...calls].map(([itemKey, call]) => [itemKey, call.settled === undefined ? "waiting" : "settled"]),
  );
  const asks = runnable.some(([, call]) => call.state === "AWAITING_APPROVAL");
  const answer = await deps.store.unlock(body, {
    stages,
    needs: callDependencies(claimed, run.plan.parallel),
    mutatingCalls: runnable.filter(([, call]) => call.effect !== "read").length,
    limits: run.plan.limits,
    runState: asks ? "awaiting_approval" : "running",
  });
  switch (answer) {
    case "unlocked":
      return "unlock_effects";
    case "over_budget":
      await endRun(deps, body, { state: "escalated", errorClass: "BUDGET_CALLS" });
      return "end_run";
    case "stale":
      return null;
  }
}
