import { attemptKey, turnKey, type AttemptParts, type TurnParts } from "@airlock/core/record";
import { readRun, readSpec, readTurn, sealStopSequences, type RunPlan } from "@airlock/core/run";
import { samplingOf } from "@airlock/core/wire";
import type { Deps } from "../deps.ts";

/**
 * Publishes the current attempt of an open turn, as the run's record gives it: the same turn gives the same job,
 * so this may be repeated at any time. Does nothing for a turn that doesn't stream any more.
 */
export async function publishTurn(deps: Deps, parts: TurnParts, delayMs = 0): Promise<void> {
  const [run, turn] = await Promise.all([
    readRun(deps.redis, parts.run),
    readTurn(deps.redis, parts.run, parts.turn),
  ]);
  if (run?.plan === undefined || run.endedAt !== undefined || turn?.state !== "streaming") return;
  const { attempt, maxOutputTokens } = turn;
  const { route, model, plan } = run;
  await publishAttempt(deps, { ...parts, attempt }, { route, model, plan, maxOutputTokens, delayMs });
}

/** What a request for a turn is made of, besides the conversation. */
interface Asked {
  readonly route: string;
  readonly model: string;
  readonly plan: Omit<RunPlan, "limits">;
  readonly maxOutputTokens: number | null;
  readonly delayMs?: number;
  /** the sweeper's list has the turn since a moment ago */
  readonly isOpen?: boolean;
}

/** While the run's route is suspended the attempt is parked instead: the sweeper comes back to it. */
export async function publishAttempt(
  deps: Deps,
  parts: AttemptParts,
  { route, model, plan, maxOutputTokens, delayMs = 0, isOpen = false }: Asked,
): Promise<void> {
  const waitMs = await deps.breaker.pass(route, attemptKey(parts));
  if (waitMs > 0) return park(deps, parts, { route, waitMs });
  if (!isOpen) await deps.store.keepOpen(turnKey(parts), deps.config.openMs + delayMs);
  const { run, turn, attempt } = parts;
  const record = deps.publisher.sign({
    purpose: "turn",
    body: {
      version: 1,
      run,
      turn,
      attempt,
      route,
      model,
      tools: plan.tools.map(({ name, digest }) => ({ name, digest })),
      maxOutputTokens,
      stopSequences: await stopSequences(deps, parts, plan),
      ...samplingOf(plan),
      parallelToolCalls: plan.parallel === "on",
    },
  });
  await deps.publisher.publish(record, { delayMs, priority: plan.priority });
}

async function park(
  deps: Deps,
  parts: AttemptParts,
  { route, waitMs }: { readonly route: string; readonly waitMs: number },
): Promise<void> {
  const { run, turn, attempt } = parts;
  // no later than usual, since the run's deadline may pass meanwhile
  await deps.store.keepOpen(turnKey(parts), Math.min(waitMs, deps.config.openMs));
  const first = await deps.store.park(parts, [{ type: "attempt_parked", turn, attempt, route }]);
  if (first) deps.log.write("info", "attempt_parked", { run, turn, attempt, route });
}

/** From the sealed spec; most runs have none, and it may be large. */
async function stopSequences(deps: Deps, attempt: AttemptParts, plan: Asked["plan"]): Promise<string | null> {
  if (plan.stopSequences === 0) return null;
  const spec = await readSpec(deps, attempt.run, plan.specDigest);
  return sealStopSequences(deps.keyring, attempt, spec.stopSequences);
}
