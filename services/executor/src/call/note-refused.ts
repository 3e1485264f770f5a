import type { ExecutionBody } from "@airlock/core/contract";
import type { ErrorClass } from "@airlock/core/fault";
import type { ClaimAnswer } from "@airlock/core/ledger";
import type { Deps } from "../deps.ts";

type Reason = Extract<ClaimAnswer, { kind: "refused" }>["reason"];

/** Refusals after which the call can never run: it ends with that class. */
const ENDS: Readonly<Partial<Record<Reason, ErrorClass>>> = {
  key_reused: "KEY_REUSED",
  too_old: "TOO_OLD",
  approval_spent: "APPROVAL_INVALID",
};

/**
 * Tells of a grant that was refused before its call was anybody's. One key with two payloads can't come of a crash or
 * a delay: somebody signed twice, so that one is an event of its own, to be alarmed at. Returns the class with which the
 * call ends, null where it is another grant's.
 */
export function noteRefused(
  { log, metrics }: { readonly log: Deps["log"]; readonly metrics: Pick<Deps["metrics"], "count"> },
  { itemKey, tool, argumentsDigest }: Pick<ExecutionBody, "itemKey" | "tool" | "argumentsDigest">,
  reason: Reason,
): ErrorClass | null {
  const errorClass = ENDS[reason] ?? null;
  metrics.count("airlock_claims_refused_total", { reason });
  const fields = { itemKey, tool, state: reason, errorClass };
  if (reason === "key_reused") log.write("error", "key_reused", { ...fields, digest: argumentsDigest });
  else log.write("warn", "call_refused", fields);
  return errorClass;
}
