import { limitsSchema, type RunPlan } from "@airlock/core/run";

type Limits = RunPlan["limits"];

/** The limits of a run with some of them raised; null where one is unknown, lowered, or more than a spec may have. */
export function raisedLimits(limits: Limits, raise: Readonly<Record<string, number>>): Limits | null {
  const known: Readonly<Record<string, number | null>> = limits;
  const lowered = Object.entries(raise).some(
    ([name, value]) => !Object.hasOwn(known, name) || value < (known[name] ?? 0),
  );
  const raised = limitsSchema.safeParse({ ...limits, ...raise });
  return lowered || !raised.success ? null : raised.data;
}
