// Takes a call that waits for people, gives a signed question about it, parked in `approvals` beyond its end; may be
// repeated at any time, and then does only what is missing.
import type { AskBody } from "@airlock/core/contract";
import { sendNotice } from "@airlock/core/queue";
import { newRunId, parseItemKey, signedRecordSchema } from "@airlock/core/record";
import { readCall, type CallHash } from "@airlock/core/run";
import { globalKeys, redisNow, runKeys } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { admittedRun } from "../release/admitted-run.ts";
import { decideAgain } from "../release/release-call.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";
import { readAsk } from "./approval-of.ts";
import { askPreview } from "./ask-preview.ts";
import { askingOf, type Asking } from "./asking-of.ts";

/** A job that promotes itself is past its question's end by this much, so that it can never be taken for an approval. */
const MARGIN_MS = 1_000;

/** `run`: as the caller has read it and held it against its spec; null to read it here. */
export async function askPeople(deps: Deps, run: AdmittedRun | null, itemKey: string): Promise<void> {
  const call = await readCall(deps.redis, itemKey);
  if (call?.state !== "AWAITING_APPROVAL" || call.settled !== undefined || call.parkedAt !== undefined)
    return;
  const admitted = run ?? (await admittedRun(deps, parseItemKey(itemKey)?.run ?? ""));
  if (admitted === null) return;
  const asked = call.nonce === undefined ? await ask(deps, admitted, { itemKey, call }) : call;
  if (asked !== null) await park(deps, admitted, { itemKey, call: asked });
}

/** Writes the question; the call as it stands then, null where there is nothing to ask about. */
async function ask(
  deps: Deps,
  run: AdmittedRun,
  { itemKey, call }: { readonly itemKey: string; readonly call: CallHash },
): Promise<CallHash | null> {
  const judged = await decideAgain(deps, run, itemKey);
  const asking = askingOf(deps, run, { call, judged });
  if (asking === null) return null; // policy has changed meanwhile: the sweep decides the call anew
  const body = await question(deps, { itemKey, call, run }, asking);
  const { nonce, expiresAt, request, tool, risk, quorum } = body;
  const epoch = await deps.redis.hget(runKeys(body.run).workspace, "epoch");
  await deps.store.ask(itemKey, {
    lastRequest: call.request,
    fields: {
      ...judged.decided,
      askRecord: deps.publisher.sign({ purpose: "ask", body }),
      request,
      nonce,
      approvalUntil: expiresAt,
      askedEpoch: epoch ?? 0,
    },
    events: [{ type: "approval_requested", itemKey, tool, risk, quorum, request, expiresAt }],
  });
  return readCall(deps.redis, itemKey);
}

async function question(
  deps: Deps,
  { itemKey, call, run }: { readonly itemKey: string; readonly call: CallHash; readonly run: AdmittedRun },
  asking: Asking,
): Promise<AskBody> {
  const { grantable, ttlMs, ...ground } = asking;
  const { tool, effect, argumentsDigest, policyDigest } = grantable;
  const now = await redisNow(deps.redis);
  return {
    version: 1,
    run: parseItemKey(itemKey)?.run ?? "",
    itemKey,
    request: call.request + 1,
    tool,
    effect,
    argumentsDigest,
    policyDigest,
    ...ground,
    nonce: newRunId().slice(1),
    requestedBy: run.requestedBy,
    askedAt: now,
    expiresAt: now + ttlMs,
  };
}

/** Listed first: what is on the list is looked after, even if the job or the note of it was lost. */
async function park(
  deps: Deps,
  run: AdmittedRun,
  { itemKey, call }: { readonly itemKey: string; readonly call: CallHash },
): Promise<void> {
  const body = readAsk(deps, { itemKey, call });
  if (body === null || call.askRecord === undefined) return;
  const { tool, risk, expiresAt, nonce } = body;
  await deps.redis.zadd(globalKeys.approvals, expiresAt, itemKey);
  await sendNotice(deps.redis, { type: "approval_requested", run: body.run, itemKey, tool, risk, expiresAt });
  const delayMs = parkMs(expiresAt, await redisNow(deps.redis));
  await deps.publisher.publish(signedRecordSchema.parse(JSON.parse(call.askRecord)), { delayMs });
  await askPreview(deps, run, { ask: body, call });
  await deps.store.noteParked(itemKey, nonce);
}

/** How long a job has to wait that came too early. */
export function parkMs(expiresAt: number, now: number): number {
  return Math.max(expiresAt - now, 0) + MARGIN_MS;
}
