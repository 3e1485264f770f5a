import { turnKey, type TurnParts } from "@airlock/core/record";
import { readRun, readTurn } from "@airlock/core/run";
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
  await deps.store.keepOpen(turnKey(parts), deps.config.openMs + delayMs);
  const record = deps.publisher.sign({
    purpose: "turn",
    body: {
      version: 1,
      run: parts.run,
      turn: parts.turn,
      attempt: turn.attempt,
      route: run.route,
      model: run.model,
      tools: run.plan.tools.map(({ name, digest }) => ({ name, digest })),
      maxOutputTokens: turn.maxOutputTokens,
      stopSequences: [],
      parallelToolCalls: run.plan.parallel === "on",
    },
  });
  await deps.publisher.publish(record, { delayMs, priority: run.plan.priority });
}
