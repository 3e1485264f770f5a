// Takes a turn whose calls are all settled, gives exactly one result per call to the conversation and opens the next
// turn; ends the run instead where a call's outcome is unknown or a budget is used up.
import { AirlockError } from "@airlock/core/fault";
import { openSealed, parseItemKey, sha256Hex, turnKey, type TurnParts } from "@airlock/core/record";
import { readCall, readRun, sealPiece, type CallHash, type TurnHash } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import type { ConversationEntry } from "@airlock/core/wire";
import { runLimits } from "../admission/run-limits.ts";
import type { Deps } from "../deps.ts";
import { endRun } from "../outcome/end-run.ts";
import { publishTurn } from "../outcome/publish-turn.ts";
import { refusalText } from "./refusal-text.ts";

export async function closeTurn(deps: Deps, parts: TurnParts, turn: TurnHash): Promise<void> {
  const { run, turn: number } = parts;
  const hash = await readRun(deps.redis, run);
  if (hash?.plan === undefined) return;
  const calls = await Promise.all(
    [...turn.calls.keys()].map(async (itemKey) => ({ itemKey, call: await readCall(deps.redis, itemKey) })),
  );
  if (calls.some(({ call }) => call?.settled === "OUTCOME_UNKNOWN" && call.effect !== "read")) {
    return endRun(deps, parts, { state: "outcome_unknown", errorClass: "OUTCOME_UNKNOWN" });
  }
  if (number >= runLimits(deps.policies, hash.policy, hash.plan.limits).turns) {
    return endRun(deps, parts, { state: "escalated", errorClass: "BUDGET_TURNS" });
  }
  const results = await Promise.all(calls.map(({ itemKey, call }) => resultEntry(deps, itemKey, call)));
  await openNextTurn(
    deps,
    { ...parts, attempt: turn.attempt },
    {
      leaves: "calls",
      pieces: [sealPiece(deps.keyring, { run, turn: number, phase: "results" }, results)],
      maxOutputTokens: turn.maxOutputTokens,
      counts: null,
      stitched: false,
    },
  );
}

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

async function resultEntry(deps: Deps, itemKey: string, call: CallHash | null): Promise<ConversationEntry> {
  if (call === null) throw new AirlockError("RECORD_INVALID", "a settled call has no record");
  const { callId, argumentsKind } = call;
  return {
    type: "call_result",
    itemKey,
    callId,
    argumentsKind,
    failed: !counts(call),
    content: (await resultText(deps, itemKey, call)) ?? refusalText(call),
  };
}

function counts(call: CallHash): boolean {
  return call.settled === "EXECUTED" && call.dropped === undefined;
}

/** What the tool gave back, read from the ledger and held against the digest that the executor signed. */
async function resultText(deps: Deps, itemKey: string, call: CallHash): Promise<string | null> {
  if (!counts(call) || call.contentDigest === undefined) return null;
  const key = runKeys(parseItemKey(itemKey)?.run ?? "").ledger(itemKey);
  const sealed = await deps.redis.hget(key, "content");
  if (sealed === null || sha256Hex(sealed) !== call.contentDigest) {
    throw new AirlockError("RECORD_INVALID", "a result is not the one that the executor signed");
  }
  return openSealed(deps.keyring, { seal: "calls", place: key }, sealed);
}
