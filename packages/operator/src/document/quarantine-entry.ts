import { refusalReason, type CallHash } from "@airlock/core/run";

export const ENTRY_STATES = ["open", "requeued", "abandoned", "passed"] as const;
export type EntryState = (typeof ENTRY_STATES)[number];

/** One refusal. Times are ISO; null is what doesn't apply, or isn't known. */
export interface QuarantineEntry {
  /** what the other commands take: the run, the attempt or the item */
  readonly id: string;
  readonly kind: "run" | "response" | "artifact" | "call";
  readonly state: EntryState;
  readonly run: string;
  readonly turn: number;
  readonly attempt: number | null;
  readonly itemKey: string | null;
  readonly responseId: string | null;
  readonly callId: string | null;
  readonly tool: string | null;
  /** the state in which it ended */
  readonly ended: string;
  readonly errorClass: string | null;
  readonly rule: string | null;
  readonly reason: string | null;
  readonly bytes: number | null;
  readonly lastEvent: string | null;
  /** how the connection ended */
  readonly transportEnd: string | null;
  /** until when content is kept */
  readonly rawUntil: string | null;
  /** until when anything is */
  readonly keepUntil: string | null;
}

export function callFacts(call: CallHash | null): Pick<QuarantineEntry, "tool" | "rule" | "reason"> {
  return call === null
    ? { tool: null, rule: null, reason: null }
    : { tool: call.tool, ...refusalReason(call) };
}
