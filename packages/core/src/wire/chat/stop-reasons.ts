import { indeterminate, type NormalizedOutcome, type Observed } from "../adapter.ts";
import { INDETERMINATE, isNormalEnd, type RawSignal } from "../outcome.ts";
import { belies } from "./native-reasons.ts";

type Row = (observed: Observed) => NormalizedOutcome;

const TRUNCATED: Row = () => ({ kind: "truncated", action: null });
const POLICY_STOP: Row = () => ({ kind: "policy_stop", action: null });
const STOPPED = indeterminate("PROVIDER_STOPPED");
/** A word of another family, which a gateway was to translate: what else it left out, nobody knows. */
const FOREIGN = indeterminate("SIGNAL_FOREIGN");

/**
 * What each finish reason means, those included that leak from the family behind a gateway and mean exactly one
 * thing there. A reason that has no row is indeterminate.
 */
const STOP_REASONS = {
  BLOCKLIST: FOREIGN,
  LANGUAGE: FOREIGN,
  MALFORMED_FUNCTION_CALL: indeterminate("CALL_MALFORMED"),
  MAX_TOKENS: FOREIGN,
  OTHER: FOREIGN,
  PROHIBITED_CONTENT: FOREIGN,
  RECITATION: FOREIGN,
  SAFETY: POLICY_STOP,
  SPII: FOREIGN,
  STOP: FOREIGN,
  UNEXPECTED_TOOL_CALL: indeterminate("CALL_UNEXPECTED"),
  abort: STOPPED,
  aborted: STOPPED,
  content_filter: POLICY_STOP,
  end_turn: FOREIGN,
  error: STOPPED,
  function_call: called,
  insufficient_system_resource: STOPPED,
  length: TRUNCATED,
  max_tokens: TRUNCATED,
  model_context_window_exceeded: FOREIGN,
  network_error: STOPPED,
  other: STOPPED,
  pause_turn: FOREIGN,
  refusal: FOREIGN,
  repetition: STOPPED,
  sensitive: POLICY_STOP,
  stop: stopped,
  stop_sequence: FOREIGN,
  tool_calls: called,
  tool_use: called,
  unknown: STOPPED,
} as const satisfies Record<string, Row>;

const ROWS: ReadonlyMap<string, Row> = new Map(Object.entries(STOP_REASONS));

export function normalize(signal: RawSignal, observed: Observed): NormalizedOutcome {
  // An error latches: gateways send a finish reason and `[DONE]` after it as if nothing had happened.
  if (observed.errorCodes.length > 0) return INDETERMINATE;
  const outcome = ROWS.get(signal.status)?.(observed) ?? INDETERMINATE;
  const because = isNormalEnd(outcome) ? belies(observed.nativeReason ?? null) : null;
  return because === null ? outcome : { ...INDETERMINATE, because };
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
