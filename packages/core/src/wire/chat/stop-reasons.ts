import type { NormalizedOutcome, Observed } from "../adapter.ts";
import { INDETERMINATE, type RawSignal } from "../outcome.ts";

type Row = (observed: Observed) => NormalizedOutcome;

const TRUNCATED: Row = () => ({ kind: "truncated", action: null });
const POLICY_STOP: Row = () => ({ kind: "policy_stop", action: null });

/**
 * What each finish reason means, those included that leak from the family behind a gateway and mean exactly one
 * thing there. A reason that has no row is indeterminate.
 */
const STOP_REASONS = {
  SAFETY: POLICY_STOP,
  content_filter: POLICY_STOP,
  function_call: called,
  length: TRUNCATED,
  max_tokens: TRUNCATED,
  sensitive: POLICY_STOP,
  stop: stopped,
  tool_calls: called,
  tool_use: called,
} as const satisfies Record<string, Row>;

const ROWS: ReadonlyMap<string, Row> = new Map(Object.entries(STOP_REASONS));

export function normalize(signal: RawSignal, observed: Observed): NormalizedOutcome {
  // An error latches: gateways send a finish reason and `[DONE]` after it as if nothing had happened.
  if (observed.errorCodes.length > 0) return INDETERMINATE;
  return ROWS.get(signal.status)?.(observed) ?? INDETERMINATE;
}

/** The first provider of this protocol stops like this after a forced call, so calls count here too. */
function stopped(observed: Observed): NormalizedOutcome {
  if (observed.calls > 0) return { kind: "action_required", action: "tool" };
  return { kind: observed.refusal ? "policy_stop" : "candidate_complete", action: null };
}

function called(observed: Observed): NormalizedOutcome {
  if (observed.calls === 0) return { ...INDETERMINATE, because: "CALLS_ABSENT" };
  return { kind: "action_required", action: "tool" };
}
