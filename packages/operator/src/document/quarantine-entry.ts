import { z } from "zod";
import { refusalReason, type CallHash } from "@airlock/core/run";

export const ENTRY_STATES = ["open", "requeued", "abandoned", "passed"] as const;
export type EntryState = (typeof ENTRY_STATES)[number];

/** One refusal. Times are ISO; null is what doesn't apply, or isn't known. */
export const quarantineEntrySchema = z.strictObject({
  /** what the other commands take: the run, the attempt or the item */
  id: z.string(),
  kind: z.enum(["run", "response", "artifact", "call"]),
  state: z.enum(ENTRY_STATES),
  run: z.string(),
  turn: z.int(),
  attempt: z.int().nullable(),
  itemKey: z.string().nullable(),
  responseId: z.string().nullable(),
  callId: z.string().nullable(),
  tool: z.string().nullable(),
  /** the state in which it ended */
  ended: z.string(),
  errorClass: z.string().nullable(),
  rule: z.string().nullable(),
  reason: z.string().nullable(),
  bytes: z.int().nullable(),
  lastEvent: z.string().nullable(),
  /** how the connection ended */
  transportEnd: z.string().nullable(),
  /** until when content is kept */
  rawUntil: z.string().nullable(),
  /** until when anything is */
  keepUntil: z.string().nullable(),
});
export type QuarantineEntry = Readonly<z.infer<typeof quarantineEntrySchema>>;

export function callFacts(call: CallHash | null): Pick<QuarantineEntry, "tool" | "rule" | "reason"> {
  return call === null
    ? { tool: null, rule: null, reason: null }
    : { tool: call.tool, ...refusalReason(call) };
}
