import type { RunPlan } from "@airlock/core/run";
import type { Policies } from "@airlock/core/runtime";

type Limits = RunPlan["limits"];

/** A run's limits as its policy bounds them now: of each the smaller one counts, also after a reload. */
export function runLimits(policies: Policies, policy: string, limits: Limits): Limits {
  const bounds = policies.get(policy)?.enforced.limits.perRun;
  if (bounds === undefined) return limits;
  return {
    ...limits,
    turns: smaller(limits.turns, bounds.turns),
    calls: smaller(limits.calls, bounds.calls),
    mutatingCalls: smaller(limits.mutatingCalls, bounds.mutating),
  };
}

function smaller(own: number, bound: number | null): number {
  return bound === null ? own : Math.min(own, bound);
}
