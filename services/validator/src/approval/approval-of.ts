// Takes a call and the ground on which people have to be asked about it, gives what a grant says of their approval;
// refuses a question that this validator did not sign, that stands on another ground, or that too few have approved.
import { judgeAnswers, readAnswers } from "@airlock/core/approval";
import { askBodySchema, parseBody, type AskBody, type ExecutionBody } from "@airlock/core/contract";
import { AirlockError } from "@airlock/core/fault";
import { verifyRecord } from "@airlock/core/record";
import type { CallHash } from "@airlock/core/run";
import type { Deps } from "../deps.ts";
import type { AdmittedRun } from "../verdict/judgement.ts";
import type { Asking } from "./asking-of.ts";

export type GrantedApproval = NonNullable<ExecutionBody["approval"]>;

interface Waiting {
  readonly itemKey: string;
  readonly run: AdmittedRun;
  readonly call: CallHash;
}

/** Judged anew for each grant, from signed records alone: what the call's own record says of it counts for nothing. */
export async function approvalOf(
  deps: Pick<Deps, "redis" | "keyring">,
  waiting: Waiting,
  asking: Asking,
): Promise<GrantedApproval | null> {
  const ask = readAsk(deps, waiting);
  if (ask === null || !standsOn(ask, waiting.run, asking)) return null;
  const records = await readAnswers(deps.redis, ask.itemKey, ask.run);
  if (judgeAnswers({ ask, records, keyring: deps.keyring }).kind !== "approved") return null;
  const { nonce, expiresAt, requestedBy, quorum } = ask;
  return { nonce, expiresAt, requestedBy, quorum };
}

/** The question as it was signed; null where there is none, or not this call's. */
export function readAsk(
  { keyring }: Pick<Deps, "keyring">,
  { itemKey, call }: Pick<Waiting, "itemKey" | "call">,
): AskBody | null {
  if (call.askRecord === undefined) return null;
  try {
    const ask = parseBody(askBodySchema, verifyRecord(keyring, "ask", JSON.parse(call.askRecord)));
    return ask.itemKey === itemKey && ask.nonce === call.nonce ? ask : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof AirlockError && error.retry === "never"))
      return null;
    throw error;
  }
}

/** Whether a question is still the one that would be asked now. A smaller quorum by now changes nothing about it. */
export function standsOn(ask: AskBody, run: AdmittedRun, { grantable, quorum, repeats }: Asking): boolean {
  return (
    ask.argumentsDigest === grantable.argumentsDigest &&
    ask.policyDigest === grantable.policyDigest &&
    ask.tool === grantable.tool &&
    ask.effect === grantable.effect &&
    ask.quorum >= quorum &&
    ask.repeats === repeats &&
    ask.requestedBy === run.requestedBy
  );
}
