import type { ErrorClass } from "../../fault/index.ts";

/**
 * What a provider's own reason says against a normal end that its gateway made of it: a cut, a block, a call that
 * could not be read. A reason that has no row is no statement: the words of providers are not all known.
 */
const NATIVE_REASONS = {
  BLOCKLIST: "SIGNAL_CONFLICT",
  CONTINUATION: "SIGNAL_CONFLICT",
  MALFORMED_FUNCTION_CALL: "CALL_MALFORMED",
  MALFORMED_RESPONSE: "RESPONSE_MALFORMED",
  MAX_TOKENS: "SIGNAL_CONFLICT",
  MISSING_THOUGHT_SIGNATURE: "SIGNATURE_MISSING",
  OTHER: "PROVIDER_STOPPED",
  PROHIBITED_CONTENT: "SIGNAL_CONFLICT",
  RECITATION: "SIGNAL_CONFLICT",
  SAFETY: "SIGNAL_CONFLICT",
  SPII: "SIGNAL_CONFLICT",
  TOO_MANY_TOOL_CALLS: "TOO_MANY_CALLS",
  UNEXPECTED_TOOL_CALL: "CALL_UNEXPECTED",
  abort: "PROVIDER_STOPPED",
  aborted: "PROVIDER_STOPPED",
  content_filter: "SIGNAL_CONFLICT",
  error: "PROVIDER_STOPPED",
  insufficient_system_resource: "PROVIDER_STOPPED",
  length: "SIGNAL_CONFLICT",
  max_output_tokens: "SIGNAL_CONFLICT",
  max_tokens: "SIGNAL_CONFLICT",
  model_context_window_exceeded: "SIGNAL_CONFLICT",
  network_error: "PROVIDER_STOPPED",
  pause_turn: "SIGNAL_CONFLICT",
  refusal: "SIGNAL_CONFLICT",
  sensitive: "SIGNAL_CONFLICT",
} as const satisfies Record<string, ErrorClass>;

const ROWS: ReadonlyMap<string, ErrorClass> = new Map(Object.entries(NATIVE_REASONS));

/** Why a normal end can't be believed beside the provider's own reason; null where nothing speaks against it. */
export function belies(nativeReason: string | null): ErrorClass | null {
  return ROWS.get(nativeReason ?? "") ?? null;
}
