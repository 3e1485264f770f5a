// Takes the committed output of a candidate_complete response, gives a completed run with its artifact,
// or a bounded number of corrective turns that say precisely what is wrong, and then an escalation.
import { validateArtifact } from "@airlock/core/artifact";
import { itemBodySchema, parseBody, type ResponseBody } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { itemKey, openSealed, sha256Hex, verifyRecord } from "@airlock/core/record";
import { readItem, readSpec, sealPiece } from "@airlock/core/run";
import { runKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { openNextTurn } from "../settlement/close-turn.ts";
import { endRun } from "./end-run.ts";
import type { Followed } from "./log-response.ts";
import type { Committed } from "./on-response.ts";

export async function judgeOutput(deps: Deps, { body, run, turn }: Committed): Promise<Followed> {
  const spec = await readSpec(deps, body.run, run.plan.specDigest);
  const result = validateArtifact(spec.expect, await outputText(deps, body));
  if (result.ok) {
    await endRun(deps, body, { state: "completed", errorClass: null, artifact: result.artifact });
    return "complete_run";
  }
  if (run.corrections >= run.plan.limits.corrections || body.turn >= run.plan.limits.turns) {
    const detail = result.reason;
    await endRun(deps, body, { state: "escalated", errorClass: "CORRECTIONS_EXHAUSTED", detail });
    return "end_run";
  }
  const correction = {
    type: "correction",
    text: `The final output is not usable: ${result.reason}. Send it again, corrected.`,
  } as const;
  await openNextTurn(deps, body, {
    leaves: "streaming",
    pieces: [sealPiece(deps.keyring, { run: body.run, turn: body.turn, phase: "results" }, [correction])],
    maxOutputTokens: turn.maxOutputTokens,
    corrections: 1,
  });
  return "retry_attempt";
}

/** The text of the response's messages, each held against the signed record of its item. */
async function outputText(deps: Deps, body: ResponseBody): Promise<string> {
  const keys = body.items
    .filter(({ kind }) => kind === "message")
    .map(({ ordinal }) => itemKey({ ...body, ordinal }));
  const texts = await Promise.all(
    keys.map(async (key) => {
      const stored = await readItem(deps.redis, key);
      if (stored === null) throw new AirlockError("RECORD_INVALID", "a committed message has no record");
      const item = parseBody(itemBodySchema, verifyRecord(deps.keyring, "item", stored.record));
      if (
        itemKey(item) !== key ||
        stored.content === null ||
        sha256Hex(stored.content) !== item.contentDigest
      ) {
        throw new AirlockError("RECORD_INVALID", "a message is not the one that was signed");
      }
      const place = runKeys(body.run).item(key);
      return openSealed(deps.keyring, { seal: "conversation", place }, stored.content);
    }),
  );
  return texts.join("");
}
