/** @jsxRuntime automatic @jsxImportSource preact */
import type { ItemState } from "@airlock/core/call";
import type { RunState } from "@airlock/core/run";
import type { VNode } from "preact";
import { Visible } from "./visible.tsx";

type Tone = "good" | "bad" | "busy" | "wait" | "plain";

/** Colour only helps: the word says it. */
const TONES: Readonly<Record<RunState | ItemState, Tone>> = {
  queued: "plain",
  running: "busy",
  awaiting_approval: "wait",
  completed: "good",
  failed: "bad",
  denied: "bad",
  policy_stopped: "bad",
  truncated: "bad",
  escalated: "wait",
  outcome_unknown: "wait",
  cancelled: "plain",
  abandoned: "plain",
  RECEIVING: "busy",
  ITEM_OPEN: "busy",
  ITEM_TERMINAL: "plain",
  PARSED: "plain",
  SCHEMA_VALID: "plain",
  AWAITING_APPROVAL: "wait",
  POLICY_APPROVED: "busy",
  CLAIMED: "busy",
  STARTED: "busy",
  OUTCOME_UNKNOWN: "wait",
  RECONCILING: "wait",
  NEEDS_HUMAN: "wait",
  EXECUTED: "good",
  NOT_EXECUTED: "bad",
  QUARANTINED: "bad",
  DENIED: "bad",
  EXPIRED: "bad",
  CANCELLED: "plain",
};
const STATE_TONES: ReadonlyMap<string, Tone> = new Map(Object.entries(TONES));

const OTHER_TONES: ReadonlyMap<string, Tone> = new Map<string, Tone>([
  ["low", "plain"],
  ["medium", "wait"],
  ["high", "bad"],
  ["closed", "good"],
  ["half_open", "wait"],
  ["open", "bad"],
  ["live", "good"],
  ["draining", "wait"],
  ["silent", "bad"],
  ["passed", "good"],
  ["not_shown", "plain"],
]);

export function State({ state }: { readonly state: string }): VNode {
  return <Badge text={state} tone={STATE_TONES.get(state) ?? "plain"} />;
}

/** A risk, a breaker's or an executor's state, a report's result. */
export function Word({ word }: { readonly word: string }): VNode {
  return <Badge text={word} tone={OTHER_TONES.get(word) ?? "plain"} />;
}

function Badge({ text, tone }: { readonly text: string; readonly tone: Tone }): VNode {
  return (
    <span class={`badge ${tone}`}>
      <Visible text={text} />
    </span>
  );
}
