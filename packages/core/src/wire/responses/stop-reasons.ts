import { indeterminate, type NormalizedOutcome, type Observed } from "../adapter.ts";
import { INDETERMINATE, type RawSignal } from "../outcome.ts";

/** Errors of a failed response by which the provider's own policy stopped it. */
const POLICY_ERROR_CODES: ReadonlySet<string> = new Set(["bio_policy", "image_content_policy_violation"]);

/** What each status means; a status or reason that has no row is indeterminate. */
const STOP_REASONS = {
  cancelled: indeterminate("RESPONSE_CANCELLED"),
  completed: (_reason, observed) => completed(observed),
  failed: (_reason, observed) => failed(observed),
  in_progress: indeterminate("SIGNAL_UNFINISHED"),
  incomplete: (reason) => (reason === null ? unspecified() : INCOMPLETE_REASONS.get(reason)) ?? INDETERMINATE,
  queued: indeterminate("SIGNAL_UNFINISHED"),
} as const satisfies Record<string, (reason: string | null, observed: Observed) => NormalizedOutcome>;

const unspecified = indeterminate("SIGNAL_UNSPECIFIED");

const INCOMPLETE_REASONS: ReadonlyMap<string, NormalizedOutcome> = new Map([
  ["content_filter", { kind: "policy_stop", action: null }],
  ["max_output_tokens", { kind: "truncated", action: null }],
]);

type Row = (reason: string | null, observed: Observed) => NormalizedOutcome;
const ROWS: ReadonlyMap<string, Row> = new Map(Object.entries(STOP_REASONS));

export function normalize(signal: RawSignal, observed: Observed): NormalizedOutcome {
  // Some bridges send an error and then a normal ending: only a failed response may explain its errors.
  if (observed.errorCodes.length > 0 && signal.status !== "failed") return INDETERMINATE;
  return ROWS.get(signal.status)?.(signal.reason, observed) ?? INDETERMINATE;
}

function completed(observed: Observed): NormalizedOutcome {
  // A hosted tool that asks comes first: its answer belongs in the same follow-up as the calls' results.
  if (observed.approvals > 0) return { kind: "action_required", action: "approve" };
  if (observed.calls > 0) return { kind: "action_required", action: "tool" };
  // A refusal in words has no status of its own.
  return { kind: observed.refusal ? "policy_stop" : "candidate_complete", action: null };
}

function failed({ errorCodes }: Observed): NormalizedOutcome {
  const byPolicy = errorCodes.length > 0 && errorCodes.every((code) => POLICY_ERROR_CODES.has(code ?? ""));
  return byPolicy ? { kind: "policy_stop", action: null } : { ...INDETERMINATE, because: "PROVIDER_STOPPED" };
}
