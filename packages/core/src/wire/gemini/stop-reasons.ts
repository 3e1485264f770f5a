import { indeterminate, type NormalizedOutcome, type Observed } from "../adapter.ts";
import { INDETERMINATE, type RawSignal } from "../outcome.ts";
import { BLOCKED } from "./wire-types.ts";

const COMPLETE = { kind: "candidate_complete", action: null } as const;
const POLICY_STOP = { kind: "policy_stop", action: null } as const;
const TOOL = { kind: "action_required", action: "tool" } as const;
const TRUNCATED = { kind: "truncated", action: null } as const;

type Row = (observed: Observed) => NormalizedOutcome;

/** What each finish reason means; one that has no row is indeterminate. */
const FINISH_REASONS = {
  BLOCKLIST: () => POLICY_STOP,
  // Another hop would follow; the calls of this one are not its last word.
  CONTINUATION: () => TRUNCATED,
  FINISH_REASON_UNSPECIFIED: indeterminate("SIGNAL_UNSPECIFIED"),
  IMAGE_OTHER: indeterminate("PROVIDER_STOPPED"),
  IMAGE_PROHIBITED_CONTENT: () => POLICY_STOP,
  IMAGE_RECITATION: () => POLICY_STOP,
  IMAGE_SAFETY: () => POLICY_STOP,
  // A block because of an unsupported language: by judgement, since asking again would not help.
  LANGUAGE: () => POLICY_STOP,
  MALFORMED_FUNCTION_CALL: indeterminate("CALL_MALFORMED"),
  MALFORMED_RESPONSE: indeterminate("RESPONSE_MALFORMED"),
  MAX_TOKENS: () => TRUNCATED,
  MISSING_THOUGHT_SIGNATURE: indeterminate("SIGNATURE_MISSING"),
  NO_IMAGE: indeterminate("PROVIDER_STOPPED"),
  OTHER: indeterminate("PROVIDER_STOPPED"),
  PROHIBITED_CONTENT: () => POLICY_STOP,
  RECITATION: () => POLICY_STOP,
  SAFETY: () => POLICY_STOP,
  SPII: () => POLICY_STOP,
  // Calls have no reason of their own.
  STOP: (observed) => (observed.calls > 0 ? TOOL : COMPLETE),
  TOO_MANY_TOOL_CALLS: indeterminate("TOO_MANY_CALLS"),
  UNEXPECTED_TOOL_CALL: indeterminate("CALL_UNEXPECTED"),
} as const satisfies Record<string, Row>;

/** Why a prompt was rejected: whichever of these it is, nothing was generated. */
const BLOCK_REASONS: ReadonlySet<string> = new Set([
  "BLOCKED_REASON_UNSPECIFIED",
  "BLOCKLIST",
  "BLOCK_REASON_UNSPECIFIED",
  "IMAGE_SAFETY",
  "JAILBREAK",
  "MODEL_ARMOR",
  "OTHER",
  "PROHIBITED_CONTENT",
  "SAFETY",
]);

const ROWS: ReadonlyMap<string, Row> = new Map(Object.entries(FINISH_REASONS));

export function normalize(signal: RawSignal, observed: Observed): NormalizedOutcome {
  if (observed.errorCodes.length > 0) return INDETERMINATE;
  if (signal.status === BLOCKED) return BLOCK_REASONS.has(signal.reason ?? "") ? POLICY_STOP : INDETERMINATE;
  return ROWS.get(signal.status)?.(observed) ?? INDETERMINATE;
}
