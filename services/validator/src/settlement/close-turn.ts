// Takes a turn whose calls are all settled, gives exactly one result per call to the conversation and opens the next
// turn; ends the run instead where a budget is used up. Of a call of unknown outcome the model is told just that.
import { AirlockError } from "@airlock/core/fault";
import type { TurnParts } from "@airlock/core/record";
import { readCall, sealPiece, type CallHash, type TurnHash } from "@airlock/core/run";
import { redisNow } from "@airlock/core/store";
import type { ConversationEntry } from "@airlock/core/wire";
import type { Deps } from "../deps.ts";
import { endRun } from "../outcome/end-run.ts";
import { executorDrift, toolDrift } from "../outcome/tool-drift.ts";
import { spentForNextTurn } from "../outcome/spent-budget.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";
import { hostedAnswer, hostedRequest } from "./hosted-answer.ts";
import { openNextTurn } from "./open-next-turn.ts";
import { refusalText } from "./refusal-text.ts";
import { counts, resultText } from "./result-text.ts";

export async function closeTurn(
  deps: Deps,
  parts: TurnParts,
  {
    run,
    turn,
    calls: known,
  }: {
    readonly run: AdmittedRun;
    readonly turn: TurnHash;
    /** as they stand since they are settled; the others are read */
    readonly calls: ReadonlyMap<string, CallHash> | undefined;
  },
): Promise<void> {
  const calls = await Promise.all(
    [...turn.calls.keys()].map(async (itemKey) => {
      const call = known?.get(itemKey);
      return { itemKey, call: call?.settled === undefined ? await readCall(deps.redis, itemKey) : call };
    }),
  );
  const drift = executorDrift(calls.map(({ call }) => call)) ?? toolDrift(deps.catalog, run.plan);
  if (drift !== null) return endRun(deps, parts, drift);
  const spent = spentForNextTurn(run, parts.turn, await redisNow(deps.redis));
  if (spent !== null) return endRun(deps, parts, { state: "escalated", errorClass: spent });
  const entries = calls.map(async ({ itemKey, call }) => {
    const requestId = await hostedRequest(deps, { itemKey, call });
    return requestId === null
      ? resultEntry(deps, itemKey, call)
      : hostedAnswer(deps, { itemKey, call, requestId });
  });
  const pieces = Promise.all(entries).then((results) => [
    sealPiece(deps.keyring, { ...parts, phase: "results" }, results),
  ]);
  await openNextTurn(
    deps,
    { run, turn: { ...parts, attempt: turn.attempt } },
    {
      leaves: "calls",
      pieces,
      maxOutputTokens: turn.maxOutputTokens,
      counts: null,
      stitched: false,
    },
  );
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
