// Takes how a response ended and what the run still has, gives the one thing that follows;
// whatever is not plainly executable or complete leads to a fresh attempt or an ending, never to an effect.
import type { ResponseBody } from "@airlock/core/contract";
import { assertNever, type ErrorClass } from "@airlock/core/fault";
import type { FinalRunState, RunPlan } from "@airlock/core/run";

export type Step =
  | { readonly kind: "unlock" }
  | { readonly kind: "judge_artifact" }
  | { readonly kind: "continue" }
  | { readonly kind: "stitch" }
  | { readonly kind: "retry"; readonly maxOutputTokens: number | null; readonly reason: ErrorClass }
  | {
      readonly kind: "end";
      readonly state: FinalRunState;
      readonly errorClass: ErrorClass;
      readonly detail?: string;
    };

/** Error statuses after which the same request may go through; every other one would meet it again. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([
  408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529,
]);

/** CometAPI answers a malformed request with status 500 and this code. */
const REFUSING_CODES: ReadonlySet<string> = new Set(["invalid_request"]);

/** Faults of the set-up or of the conversation: a fresh attempt meets them again. */
const LASTING: ReadonlySet<ErrorClass> = new Set(["API_KEY_MISSING", "SIGNATURE_MISSING", "TOOL_DRIFT"]);

/** Codes of errors within a stream by which a provider refuses the request itself: it would do so again. */
const REFUSING_ERRORS: ReadonlySet<string> = new Set([
  "400",
  "401",
  "403",
  "404",
  "authentication_error",
  "billing_error",
  "context_length_exceeded",
  "insufficient_quota",
  "invalid_api_key",
  "invalid_prompt",
  "invalid_request",
  "invalid_request_error",
  "model_not_found",
  "not_found_error",
  "permission_error",
]);

/** What a request without a bound of its own is taken to ask for. */
export const DEFAULT_OUTPUT_BUDGET = 4_096;
const BUDGET_FACTOR = 2;

/** What the run has used up when the response is looked at. */
export interface Progress {
  readonly turn: number;
  readonly continuations: number;
  /** output budget of the attempt */
  readonly maxOutputTokens: number | null;
  /** whether contract reports vouch for the route */
  readonly verified: boolean;
  /** what forbids the run any further request */
  readonly spent: ErrorClass | null;
}

export function nextStep(
  response: ResponseBody,
  plan: Pick<RunPlan, "limits" | "onTruncated">,
  progress: Progress,
): Step {
  const step = wantedStep(response, plan, progress);
  const asks = step.kind === "continue" || step.kind === "stitch" || step.kind === "retry";
  return asks && progress.spent !== null ? escalated(progress.spent) : step;
}

function wantedStep(
  response: ResponseBody,
  plan: Pick<RunPlan, "limits" | "onTruncated">,
  progress: Progress,
): Step {
  const { maxOutputTokens } = progress;
  switch (response.outcome.kind) {
    case "action_required":
      return afterAction(response, plan, progress);
    case "candidate_complete":
      return { kind: "judge_artifact" };
    case "policy_stop":
      return { kind: "end", state: "policy_stopped", errorClass: "PROVIDER_POLICY_STOP" };
    case "truncated":
      return afterTruncation(response, plan, progress);
    case "indeterminate":
      return afterFailure(response, plan, maxOutputTokens);
    default:
      return assertNever(response.outcome.kind);
  }
}

function afterAction(
  { outcome: { action }, items }: Pick<ResponseBody, "outcome" | "items">,
  plan: Pick<RunPlan, "limits">,
  progress: Progress,
): Step {
  switch (action) {
    case "tool":
      return { kind: "unlock" };
    case "approve":
      // judged like calls, and answered beside their results; without a request there is nothing to answer
      return items.some(({ kind }) => kind === "approval_request")
        ? { kind: "unlock" }
        : escalated("APPROVAL_REQUESTED");
    case "continue":
      return continued("continue", plan, progress);
    case null:
      return escalated("APPROVAL_REQUESTED");
    default:
      return assertNever(action);
  }
}

function escalated(errorClass: ErrorClass): Step {
  return { kind: "end", state: "escalated", errorClass };
}

/** Nobody decides on a continuation, so it needs a route that reports vouch for, and has bounds of its own. */
function continued(
  kind: "continue" | "stitch",
  { limits }: Pick<RunPlan, "limits">,
  { turn, continuations, verified }: Progress,
): Step {
  if (!verified) return escalated("ROUTE_UNVERIFIED");
  if (continuations >= limits.continuations) return escalated("CONTINUATIONS_EXHAUSTED");
  return turn >= limits.turns ? escalated("BUDGET_TURNS") : { kind };
}

function afterTruncation(
  response: ResponseBody,
  plan: Pick<RunPlan, "limits" | "onTruncated">,
  progress: Progress,
): Step {
  const { maxOutputTokens } = progress;
  if (plan.onTruncated === "escalate") return escalated("OUTPUT_TRUNCATED");
  if (isFinalCut(response)) return { kind: "end", state: "truncated", errorClass: "OUTPUT_TRUNCATED" };
  if (plan.onTruncated === "continue" && isText(response)) return continued("stitch", plan, progress);
  const cap = plan.limits.maxOutputTokensCap;
  const larger = Math.min((maxOutputTokens ?? DEFAULT_OUTPUT_BUDGET) * BUDGET_FACTOR, cap);
  const grows = larger > (maxOutputTokens ?? 0);
  if (plan.onTruncated === "larger_budget" && grows && response.attempt < plan.limits.attempts) {
    return { kind: "retry", maxOutputTokens: larger, reason: "OUTPUT_TRUNCATED" };
  }
  return { kind: "end", state: "truncated", errorClass: "OUTPUT_TRUNCATED" };
}

/** No larger budget and no next turn helps: a stop sequence would cut again, and a full conversation only grows. */
function isFinalCut({ stopSequence, errorClass }: ResponseBody): boolean {
  return stopSequence !== null || errorClass === "CONTEXT_FULL";
}

/** A cut text, and nothing beside it. */
function isText({ items }: ResponseBody): boolean {
  return items.length > 0 && items.every(({ kind }) => kind === "message");
}

function afterFailure(
  response: ResponseBody,
  plan: Pick<RunPlan, "limits">,
  maxOutputTokens: number | null,
): Step {
  const { errorClass } = response;
  if (errorClass === "DEADLINE_EXCEEDED") return escalated(errorClass);
  if (errorClass !== null && LASTING.has(errorClass)) return { kind: "end", state: "failed", errorClass };
  if (refuses(response)) return { kind: "end", state: "failed", errorClass: "REQUEST_REFUSED" };
  return response.attempt < plan.limits.attempts
    ? { kind: "retry", maxOutputTokens, reason: response.errorClass ?? "SIGNAL_UNKNOWN" }
    : { kind: "end", state: "escalated", errorClass: "ATTEMPTS_EXHAUSTED" };
}

function refuses({ httpStatus, errorClass, errorCode }: ResponseBody): boolean {
  if (errorClass === "PROVIDER_ERROR") return errorCode !== null && REFUSING_ERRORS.has(errorCode);
  if (httpStatus === null || (httpStatus >= 200 && httpStatus <= 299)) return false;
  return !PASSING_STATUSES.has(httpStatus) || (errorCode !== null && REFUSING_CODES.has(errorCode));
}
