// An order in, what a validator said of it out; null where none has told of it in time.
import type { FINDINGS } from "@airlock/core/contract";
import { parseItemKey } from "@airlock/core/record";
import { isFinalRun, readRun, type ActionAnswer, type ACTIONS } from "@airlock/core/run";
import type { ActingAccess } from "../access.ts";
import { assertSubmitted, readLedger } from "../document/index.ts";
import { awaitAnswer, endOfAudit } from "./await-answer.ts";
import { awaitSwitch } from "./await-switch.ts";
import { cancelRun, sendAction, sendKill, sendResolution } from "./commands.ts";

/** What people ask of a run that ended for them to look at. */
export interface AskedAction {
  readonly kind: keyof typeof ACTIONS;
  readonly run: string;
  /** the run, or a part of it */
  readonly target: string;
  readonly reason: string;
  /** limits that a requeue raises */
  readonly raise: Readonly<Record<string, number>>;
}

export interface AskedResolution {
  readonly target: string;
  readonly finding: (typeof FINDINGS)[number];
  readonly reason: string;
}

export interface AskedSwitch {
  readonly kind: "kill" | "unkill";
  readonly target: string;
  readonly reason: string;
}

/** Under which id an order was sent, and what came of it; null: nobody has told of it in time. */
export interface Answered {
  readonly id: string;
  readonly answer: ActionAnswer | null;
}

/** Of an ended run nothing is requested. Throws RUN_NOT_FOUND. */
export async function cancelOpenRun(
  access: ActingAccess,
  run: string,
  reason: string,
): Promise<{ readonly state: string; readonly requested: boolean }> {
  await assertSubmitted(access.redis, run);
  const state = (await readRun(access.redis, run))?.state ?? "queued";
  const requested = !isFinalRun(state);
  if (requested) await cancelRun(access, run, reason);
  return { state, requested };
}

/** The action is about the end that the run has now. Throws RUN_NOT_FOUND. */
export async function actOnRun(
  access: ActingAccess,
  asked: AskedAction,
  timeoutMs: number,
): Promise<Answered> {
  await assertSubmitted(access.redis, asked.run);
  const round = (await readRun(access.redis, asked.run))?.requeues ?? 0;
  return answered(access, timeoutMs, () => sendAction(access, { ...asked, round }));
}

/** Throws RUN_NOT_FOUND for a call that the ledger does not know. */
export async function resolveCall(
  access: ActingAccess,
  { target, ...found }: AskedResolution,
  timeoutMs: number,
): Promise<Answered> {
  const { itemKey } = await readLedger(access, target, { raw: false });
  const run = parseItemKey(itemKey)?.run ?? "";
  return answered(access, timeoutMs, () => sendResolution(access, { run, target, ...found }));
}

/** `done` once the switch stands as asked. */
export async function turnSwitch(
  access: ActingAccess,
  { kind, target, reason }: AskedSwitch,
  timeoutMs: number,
): Promise<{ readonly id: string; readonly done: boolean }> {
  const id = await sendKill(access, { kind, target, reason });
  return { id, done: await awaitSwitch(access.redis, { kind, target, id, timeoutMs }) };
}

/** The audit is read from where it stood before the order went out. */
async function answered(
  { redis }: ActingAccess,
  timeoutMs: number,
  send: () => Promise<string>,
): Promise<Answered> {
  const after = await endOfAudit(redis);
  const id = await send();
  return { id, answer: await awaitAnswer(redis, { id, after, timeoutMs }) };
}
