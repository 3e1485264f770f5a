// Takes the accumulated response and how its bytes ended, gives the one outcome and why; refuses whatever is
// not a normal end without a single contradiction.
import type { ErrorClass } from "../fault/index.ts";
import { INDETERMINATE, isNormalEnd, type Adapter, type Outcome } from "../wire/index.ts";
import type { Accumulated, Finish } from "./accumulate.ts";
import { isUnfinished } from "./contradictions.ts";
import { isCutCall } from "./cut-call.ts";
import { compareRestated } from "./restated.ts";
import { TRANSPORT_ENDS, type TransportEnd } from "./transport-ends.ts";

interface Classification {
  readonly outcome: Outcome;
  readonly errorClass: ErrorClass | null;
}

interface ClassifyInput {
  readonly adapter: Adapter;
  readonly state: Accumulated;
  readonly end: TransportEnd;
  /** Whether a clean end of the bytes is not enough. */
  readonly needsMarker: boolean;
  readonly requestedMaxOutputTokens: number | null;
}

export function classify(input: ClassifyInput): Classification {
  const { adapter, state, end, needsMarker } = input;
  const [finish] = state.finishes;
  const closed = end === "closed_by_marker" || (end === "clean" && !needsMarker);
  if (!closed || finish === undefined) return unclosed(state, end);
  const { because = null, ...outcome } = adapter.normalize(finish.signal, observe(state, finish));
  const conflict = signalConflict(state.finishes);
  // The adapter has seen the errors' codes: where it still says policy stop, they are how the stop was told.
  const toldByError = outcome.kind === "policy_stop";
  const fault = state.faults.find((found) => !(toldByError && found === "PROVIDER_ERROR"));
  const doubt = fault ?? conflict;
  if (doubt !== null) return { outcome: INDETERMINATE, errorClass: doubt };
  if (outcome.kind === "indeterminate") return { outcome, errorClass: because ?? "SIGNAL_UNKNOWN" };
  if (!isNormalEnd(outcome)) return { outcome, errorClass: because };
  return checkNormalEnd(outcome, input, finish);
}

/** A normal end promises more than a cut one: every item whole, nothing retold otherwise, budget left. */
function checkNormalEnd(outcome: Outcome, input: ClassifyInput, finish: Finish): Classification {
  const items = [...input.state.items.values()];
  const finished = items.flatMap((item) => item.finished ?? []);
  const retold =
    finish.restated === null
      ? null
      : compareRestated(finished, finish.restated, (item) => input.adapter.readItem(item));
  const doubt = items.some((item) => isUnfinished(item)) ? "ITEM_INCOMPLETE" : retold;
  if (doubt !== null) return { outcome: INDETERMINATE, errorClass: doubt };
  const spent = input.state.usage?.outputTokens ?? null;
  const cap = input.requestedMaxOutputTokens;
  if (spent !== null && cap !== null && spent >= cap) {
    return { outcome: { kind: "truncated", action: null }, errorClass: "USAGE_AT_CAP" };
  }
  // The budget comes first: it explains a cut call, and what it explains can be helped.
  if (items.some((item) => isCutCall(item))) return { outcome: INDETERMINATE, errorClass: "JSON_TRUNCATED" };
  return { outcome, errorClass: null };
}

function unclosed(state: Accumulated, end: TransportEnd): Classification {
  const [fault] = state.faults;
  const empty = (end === "clean" || end === "closed_by_marker") && state.events === 0;
  const byTransport = empty ? "EMPTY_STREAM" : (TRANSPORT_ENDS[end] ?? "STREAM_TRUNCATED");
  return { outcome: INDETERMINATE, errorClass: fault ?? byTransport };
}

function signalConflict(finishes: readonly Finish[]): ErrorClass | null {
  const signals = new Set(finishes.map(({ signal }) => JSON.stringify([signal.status, signal.reason])));
  return signals.size > 1 ? "SIGNAL_CONFLICT" : null;
}

function observe(state: Accumulated, { nativeReason }: Finish): Parameters<Adapter["normalize"]>[1] {
  const finished = [...state.items.values()].flatMap((item) => item.finished ?? []);
  const messages = finished.filter((facts) => facts.kind === "message");
  return {
    calls: finished.filter((facts) => facts.kind === "tool_call").length,
    approvals: finished.filter((facts) => facts.kind === "approval_request").length,
    refusal:
      messages.some((facts) => facts.refusal) &&
      messages.every((facts) => facts.refusal || (facts.content ?? "") === ""),
    providerExecuted: finished.filter((facts) => facts.kind === "provider_executed").length,
    errorCodes: state.errorCodes,
    nativeReason: nativeReason ?? null,
  };
}
