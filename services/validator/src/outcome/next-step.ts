// Takes how a response ended and what the run still has, gives the one thing that follows;
// whatever is not plainly executable or complete leads to a fresh attempt or an ending, never to an effect.
import type { ResponseBody } from "@airlock/core/contract";
import { assertNever, type ErrorClass } from "@airlock/core/fault";
import type { FinalRunState, RunPlan } from "@airlock/core/run";

export type Step =
  | { readonly kind: "unlock" }
  | { readonly kind: "judge_artifact" }
  | { readonly kind: "retry"; readonly maxOutputTokens: number | null; readonly reason: ErrorClass }
  | { readonly kind: "end"; readonly state: FinalRunState; readonly errorClass: ErrorClass };

/** Error statuses after which the same request may go through; every other one would meet it again. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([
  408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529,
]);

/** CometAPI answers a malformed request with status 500 and this code. */
const REFUSING_CODES: ReadonlySet<string> = new Set(["invalid_request"]);

/** Faults of the set-up: a fresh attempt meets them again. */
const LASTING: ReadonlySet<ErrorClass> = new Set(["API_KEY_MISSING", "TOOL_DRIFT"]);

const DEFAULT_BUDGET = 4_096;
const BUDGET_FACTOR = 2;

export function nextStep(
  response: ResponseBody,
  plan: Pick<RunPlan, "limits" | "onTruncated">,
  maxOutputTokens: number | null,
): Step {
  const { kind, action } = response.outcome;
  switch (kind) {
    case "action_required":
      return action === "tool"
        ? { kind: "unlock" }
        : { kind: "end", state: "escalated", errorClass: "APPROVAL_REQUESTED" };
    case "candidate_complete":
      return { kind: "judge_artifact" };
    case "policy_stop":
      return { kind: "end", state: "policy_stopped", errorClass: "PROVIDER_POLICY_STOP" };
    case "truncated":
      return afterTruncation(response, plan, maxOutputTokens);
    case "indeterminate":
      return afterFailure(response, plan, maxOutputTokens);
    default:
      return assertNever(kind);
  }
}

function afterTruncation(
  response: ResponseBody,
  plan: Pick<RunPlan, "limits" | "onTruncated">,
  maxOutputTokens: number | null,
): Step {
  const cap = plan.limits.maxOutputTokensCap;
  const larger = Math.min((maxOutputTokens ?? DEFAULT_BUDGET) * BUDGET_FACTOR, cap);
  const grows = larger > (maxOutputTokens ?? 0);
  if (plan.onTruncated === "larger_budget" && grows && response.attempt < plan.limits.attempts) {
    return { kind: "retry", maxOutputTokens: larger, reason: "OUTPUT_TRUNCATED" };
  }
  return { kind: "end", state: "truncated", errorClass: "OUTPUT_TRUNCATED" };
}

function afterFailure(
  response: ResponseBody,
  plan: Pick<RunPlan, "limits">,
  maxOutputTokens: number | null,
): Step {
  const { errorClass } = response;
  if (errorClass !== null && LASTING.has(errorClass)) return { kind: "end", state: "failed", errorClass };
  if (refuses(response)) return { kind: "end", state: "failed", errorClass: "REQUEST_REFUSED" };
  return response.attempt < plan.limits.attempts
    ? { kind: "retry", maxOutputTokens, reason: response.errorClass ?? "SIGNAL_UNKNOWN" }
    : { kind: "end", state: "escalated", errorClass: "ATTEMPTS_EXHAUSTED" };
}

function refuses({ httpStatus, errorCode }: ResponseBody): boolean {
  if (httpStatus === null || (httpStatus >= 200 && httpStatus <= 299)) return false;
  return !PASSING_STATUSES.has(httpStatus) || (errorCode !== null && REFUSING_CODES.has(errorCode));
}
