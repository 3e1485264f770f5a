import { indeterminate, type NormalizedOutcome, type Observed } from "../adapter.ts";
import { INDETERMINATE, type RawSignal } from "../outcome.ts";

const COMPLETE = { kind: "candidate_complete", action: null } as const;
const CONTINUE = { kind: "action_required", action: "continue" } as const;
const POLICY_STOP = { kind: "policy_stop", action: null } as const;
const TRUNCATED = { kind: "truncated", action: null } as const;
const CONTRADICTION = { ...INDETERMINATE, because: "SIGNAL_CONFLICT" } as const;

type Row = (observed: Observed) => NormalizedOutcome;

/** What each stop reason means; one that has no row is indeterminate. */
const STOP_REASONS = {
  // Only for those who asked for it, and nothing here does.
  compaction: indeterminate("SIGNAL_UNREQUESTED"),
  end_turn: withoutCalls(COMPLETE),
  max_tokens: () => TRUNCATED,
  // A cut that no larger budget would mend.
  model_context_window_exceeded: () => ({ ...TRUNCATED, because: "CONTEXT_FULL" }),
  pause_turn: withoutCalls(CONTINUE),
  refusal: () => POLICY_STOP,
  stop_sequence: withoutCalls(COMPLETE),
  tool_use: (observed) => toolUse(observed),
} as const satisfies Record<string, Row>;

const ROWS: ReadonlyMap<string, Row> = new Map(Object.entries(STOP_REASONS));

export function normalize(signal: RawSignal, observed: Observed): NormalizedOutcome {
  // An error holds, even after a stop reason.
  if (observed.errorCodes.length > 0) return INDETERMINATE;
  return ROWS.get(signal.status)?.(observed) ?? INDETERMINATE;
}

/** A whole call beside a reason that asks for nothing: one of the two is wrong. */
function withoutCalls(outcome: NormalizedOutcome): Row {
  return (observed) => (observed.calls > 0 ? CONTRADICTION : outcome);
}

/** The reason is real without any call of the client's: the provider's own tools may still be running. */
function toolUse(observed: Observed): NormalizedOutcome {
  if (observed.calls > 0) return { kind: "action_required", action: "tool" };
  return observed.providerExecuted > 0 ? CONTINUE : { ...INDETERMINATE, because: "CALLS_ABSENT" };
}
