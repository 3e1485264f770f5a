import { turnKey, type TurnParts } from "@airlock/core/record";
import type { Deps } from "../deps.ts";
import { publishTurn } from "../outcome/publish-turn.ts";

/** Closes a turn, opens the next one and publishes it: committed first, so that a crash in between is repaired. */
export async function openNextTurn(
  deps: Deps,
  closed: TurnParts & { readonly attempt: number },
  next: Omit<Parameters<Deps["store"]["nextTurn"]>[1], "events">,
): Promise<void> {
  const { run, turn } = closed;
  await deps.store.keepOpen(turnKey({ run, turn: turn + 1 }), deps.config.openMs);
  await deps.store.nextTurn(closed, {
    ...next,
    events: [
      { type: "turn_closed", turn },
      { type: "attempt_opened", turn: turn + 1, attempt: 1, reason: null },
    ],
  });
  await publishTurn(deps, { run, turn: turn + 1 });
  await deps.store.dropOpen(turnKey(closed));
}
