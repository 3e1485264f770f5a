// Takes a call as it was decided again, gives what people would be asked about it; null where nobody has to be.
import type { AskBody } from "@airlock/core/contract";
import type { CallHash } from "@airlock/core/run";
import type { Deps } from "../deps.ts";
import type { AdmittedRun, Grantable, Judgement } from "../verdict/judgement.ts";

/** The ground of a question. One that stands on another ground is void, whoever has answered it. */
export interface Asking extends Pick<AskBody, "risk" | "quorum" | "repeats" | "errorClass"> {
  readonly grantable: Grantable;
  readonly ttlMs: number;
}

/** Policy asks, or the call would repeat an effect, or both: then policy's own conditions hold for the one question. */
export function askingOf(
  deps: Pick<Deps, "policies" | "config">,
  run: AdmittedRun,
  {
    call,
    judged,
  }: { readonly call: CallHash; readonly judged: Pick<Judgement, "grantable" | "askable" | "decided"> },
): Asking | null {
  const grantable = judged.askable ?? judged.grantable;
  const { repeats } = call;
  if (grantable === null || (judged.askable === null && repeats === undefined)) return null;
  const approval = judged.decided.policyDecision?.approval;
  const defaults = deps.policies.get(run.policy)?.enforced.defaults;
  const ttlMs = approval === null || approval === undefined ? defaults?.approvalTtlMs : approval.ttlMs;
  return {
    grantable,
    risk: approval?.risk ?? "high",
    quorum: approval?.quorum ?? 1,
    ttlMs: Math.min(ttlMs ?? deps.config.approvalMs, deps.config.approvalMs),
    ...(repeats === undefined ? {} : { repeats, errorClass: "REPEATED_EFFECT" as const }),
  };
}
