import { turnKey, type TurnParts } from "@airlock/core/record";
import type { Deps } from "../deps.ts";
import { publishAttempt, publishTurn } from "../outcome/publish-turn.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";

/** Closes a turn, opens the next one and publishes it: committed first, so that a crash in between is repaired. */
export async function openNextTurn(
  deps: Deps,
  { run, ...closed }: { readonly run: AdmittedRun; readonly turn: TurnParts & { readonly attempt: number } },
  next: Omit<Parameters<Deps["store"]["nextTurn"]>[1], "events" | "pieces"> & {
    readonly pieces: readonly string[] | Promise<readonly string[]>;
  },
): Promise<void> {
  const following = { run: closed.turn.run, turn: closed.turn.turn + 1 };
  const [pieces] = await Promise.all([
    next.pieces,
    deps.store.keepOpen(turnKey(following), deps.config.openMs),
  ]);
  const opened = await deps.store.nextTurn(closed.turn, {
    ...next,
    pieces,
    events: [
      { type: "turn_closed", turn: closed.turn.turn },
      { type: "attempt_opened", turn: following.turn, attempt: 1, reason: null },
    ],
  });
  if (opened)
    await publishAttempt(
      deps,
      { ...following, attempt: 1 },
      { ...run, maxOutputTokens: next.maxOutputTokens, isOpen: true },
    );
  else await publishTurn(deps, following);
  await deps.store.dropOpen(turnKey(closed.turn));
}
