// Takes a call that waits for people, gives what their signed answers, the clock and today's policy make of it: approved,
// denied, expired, asked anew, or waiting on; a promoted job is only a reason to look, and a removed one denies.
import { judgeAnswers, readAnswers } from "@airlock/core/approval";
import type { AskBody, RunEvent } from "@airlock/core/contract";
import { assertNever } from "@airlock/core/fault";
import { parseItemKey } from "@airlock/core/record";
import { readCall, type CallHash } from "@airlock/core/run";
import { redisNow } from "@airlock/core/store";
import type { Deps } from "../deps.ts";
import { admittedRun } from "../release/admitted-run.ts";
import { decideAgain, type Judged } from "../release/release-call.ts";
import { advanceTurn, endCall } from "../settlement/advance-turn.ts";
import { logSettledItem } from "../settlement/log-settled.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";
import { readAsk, standsOn } from "./approval-of.ts";
import { askPeople } from "./ask-people.ts";
import { askingOf } from "./asking-of.ts";
import { closeQuestion } from "./close-question.ts";

/** Why somebody looks: the job came, or it is gone, or it is time to. */
export type Reason = "promoted" | "removed" | "swept";

/** The question that is still open, null where none is. `nonce`: of the question that the caller means; null for any. */
export async function followAnswers(
  deps: Deps,
  itemKey: string,
  { why, nonce }: { readonly why: Reason; readonly nonce: string | null },
): Promise<AskBody | null> {
  const [run, call] = await Promise.all([
    admittedRun(deps, parseItemKey(itemKey)?.run ?? ""),
    readCall(deps.redis, itemKey),
  ]);
  if (run === null || call === null || !waits(run, call)) {
    await closeQuestion(deps, itemKey, call);
    return null;
  }
  if (nonce !== null && nonce !== call.nonce) return null;
  const ask = await settleOrAsk(deps, { itemKey, run, call }, why);
  if (ask === null) await carryOn(deps, itemKey);
  return ask;
}

interface Waiting {
  readonly itemKey: string;
  readonly run: AdmittedRun;
  readonly call: CallHash;
}

async function settleOrAsk(deps: Deps, waiting: Waiting, why: Reason): Promise<AskBody | null> {
  const { itemKey, run, call } = waiting;
  const now = await redisNow(deps.redis);
  const ask = readAsk(deps, waiting);
  if (now >= Math.min(ask?.expiresAt ?? Infinity, call.approvalUntil ?? 0)) {
    await endCall(deps, { itemKey, call }, "unapproved");
    return null;
  }
  const judged = await decideAgain(deps, run, itemKey);
  const asking = askingOf(deps, run, { call, judged });
  if (asking === null) {
    await withoutPeople(deps, waiting, judged);
    return null;
  }
  if (ask === null || !standsOn(ask, run, asking)) {
    if (call.nonce !== undefined) await askAnew(deps, waiting, judged);
    await askPeople(deps, run, itemKey);
    return null;
  }
  return judge(deps, { ...waiting, ask }, why);
}

async function judge(
  deps: Deps,
  { itemKey, run, call, ask }: Waiting & { readonly ask: AskBody },
  why: Reason,
): Promise<AskBody | null> {
  const records = await readAnswers(deps.redis, itemKey, ask.run);
  const judgement = judgeAnswers({ ask, records, keyring: deps.keyring });
  switch (judgement.kind) {
    case "denied": {
      const said = { deniedBy: judgement.by, detail: judgement.reason };
      await endCall(deps, { itemKey, call, decided: said }, "denied");
      return null;
    }
    case "approved":
      await deps.store.approve(itemKey, {
        nonce: ask.nonce,
        expiresAt: ask.expiresAt,
        fields: {
          approvers: judgement.approvers,
          notAfter: (await redisNow(deps.redis)) + deps.config.decisionMs,
        },
        events: [stateEvent(itemKey, call, "POLICY_APPROVED")],
      });
      return null;
    case "pending":
      if (why === "removed" && call.parkedAt !== undefined) {
        await endCall(deps, { itemKey, call }, "removed");
        return null;
      }
      if (why === "promoted") {
        await deps.store.tellWaiting(itemKey, ask.nonce, [{ type: "approval_unsigned", itemKey }]);
      }
      await askPeople(deps, run, itemKey); // where a crash has left something to do
      return ask;
    default:
      return assertNever(judgement);
  }
}

/** Policy has changed so that nobody has to be asked: the call runs by its own right, or never. */
async function withoutPeople(
  deps: Deps,
  { itemKey, call }: Waiting,
  { grantable, decided }: Judged,
): Promise<void> {
  if (grantable === null) {
    await endCall(deps, { itemKey, call, decided }, decided.rule === "kill-switch" ? "stopped" : "refused");
    return;
  }
  const notAfter = (await redisNow(deps.redis)) + deps.config.decisionMs;
  await deps.store.voidQuestion(itemKey, {
    nonce: call.nonce ?? "",
    fields: { ...decided, state: "POLICY_APPROVED", notAfter },
    events: [stateEvent(itemKey, call, "SCHEMA_VALID"), stateEvent(itemKey, call, "POLICY_APPROVED")],
  });
}

async function askAnew(deps: Deps, { itemKey, call }: Waiting, { decided }: Judged): Promise<void> {
  await deps.store.voidQuestion(itemKey, {
    nonce: call.nonce ?? "",
    fields: { ...decided, state: "AWAITING_APPROVAL" },
    events: [stateEvent(itemKey, call, "SCHEMA_VALID"), stateEvent(itemKey, call, "AWAITING_APPROVAL")],
  });
}

/** What follows where the question is over, and nothing where the call waits for another one. */
async function carryOn(deps: Deps, itemKey: string): Promise<void> {
  const call = await readCall(deps.redis, itemKey);
  const parts = parseItemKey(itemKey);
  if (call === null || parts === null) return;
  if (call.state === "AWAITING_APPROVAL" && call.settled === undefined) return;
  await deps.store.resume(itemKey);
  await closeQuestion(deps, itemKey, call);
  if (call.settled !== undefined) await logSettledItem(deps, itemKey, { call });
  await advanceTurn(deps, parts);
}

function waits(run: AdmittedRun, call: CallHash): boolean {
  if (run.endedAt !== undefined || run.cancelled !== undefined) return false;
  return call.state === "AWAITING_APPROVAL" && call.settled === undefined;
}

function stateEvent(
  itemKey: string,
  { tool }: CallHash,
  state: "SCHEMA_VALID" | "AWAITING_APPROVAL" | "POLICY_APPROVED",
): RunEvent {
  return { type: "item_state", itemKey, tool, state, rule: null, errorClass: null, bytes: null };
}
