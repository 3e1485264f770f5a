export type OutcomeKind =
  | "candidate_complete"
  | "truncated"
  | "action_required"
  | "policy_stop"
  | "indeterminate";

/** `action` is set for `action_required` only: run tools, send the conversation again, or answer an approval. */
export interface Outcome {
  readonly kind: OutcomeKind;
  readonly action: "tool" | "continue" | "approve" | null;
}

/** The family's own words for how the response ended, before any judgement. */
export interface RawSignal {
  readonly status: string;
  readonly reason: string | null;
}

export const INDETERMINATE: Outcome = { kind: "indeterminate", action: null };

/** `incomplete:max_output_tokens`, or the status alone where there is no reason. */
export function formatRawSignal(signal: RawSignal): string {
  return signal.reason === null ? signal.status : `${signal.status}:${signal.reason}`;
}

/** A normal end: what the response holds may count. After any other end everything is set aside. */
export function isNormalEnd(outcome: Outcome): boolean {
  return outcome.kind === "candidate_complete" || outcome.kind === "action_required";
}
