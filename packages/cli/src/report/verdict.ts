// What a report says of a call, a turn or the run in, what a list of tests says of it out.
import { isFinal, itemStateSchema } from "@airlock/core/call";
import type { CallReport, RunReport } from "./report-document.ts";

/** `open`: it has not ended yet */
export interface Verdict {
  readonly kind: "passed" | "failed" | "unknown" | "open";
  /** the error class, or the state where there is none */
  readonly class: string;
  readonly message: string;
}

const UNKNOWN: ReadonlySet<string> = new Set(["OUTCOME_UNKNOWN", "RECONCILING", "NEEDS_HUMAN"]);

export function callVerdict({ state, decision, rules, errorClass }: CallReport): Verdict {
  const known = itemStateSchema.safeParse(state);
  const facts = [
    state,
    ...(decision === null ? [] : [`decision ${decision}`]),
    ...(rules.length === 0 ? [] : [`rules ${rules.join(", ")}`]),
  ].join("; ");
  const said = { class: errorClass ?? state, message: facts };
  if (UNKNOWN.has(state)) return { kind: "unknown", ...said };
  if (!known.success || !isFinal(known.data)) return { kind: "open", ...said };
  return { kind: state === "EXECUTED" && errorClass === null ? "passed" : "failed", ...said };
}

/** A turn is as good as its last attempt. */
export function turnVerdict({ attempts }: RunReport["turns"][number]): Verdict {
  const last = attempts.at(-1);
  if (last === undefined || last.outcome === null)
    return { kind: "open", class: "open", message: "its response has not ended" };
  const { number, outcome, raw, errorClass } = last;
  const message = `attempt ${number} ended: ${outcome} (${raw ?? "no closing signal"})`;
  const good = errorClass === null && GOOD_OUTCOMES.has(outcome);
  return { kind: good ? "passed" : "failed", class: errorClass ?? outcome, message };
}

const GOOD_OUTCOMES: ReadonlySet<string> = new Set(["candidate_complete", "action_required"]);

export function runVerdict({ state, ended, reason }: RunReport): Verdict {
  const said = { class: state, message: reason === null ? state : `${state}: ${reason}` };
  if (!ended) return { kind: "open", ...said };
  if (state === "outcome_unknown") return { kind: "unknown", ...said };
  return { kind: state === "completed" ? "passed" : "failed", ...said };
}
