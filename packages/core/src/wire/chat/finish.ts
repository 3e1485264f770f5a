import { sha256Hex } from "../../record/index.ts";
import type { JsonObject } from "../../json/index.ts";
import type { WireEvent } from "../events.ts";
import { frameError } from "../frame.ts";
import type { Draft } from "./assemble.ts";
import { LEGACY_KEY } from "./call-fragment.ts";
import type { CallSlot } from "./call-slots.ts";
import { argumentText } from "./enter-fragment.ts";
import { ARGUMENT_FIELDS } from "./wire-types.ts";

/** Where and with what a response finished. */
export interface FinishMark {
  readonly wireType: string;
  readonly reason: string;
  readonly responseId: string | null;
  /** Tells responses apart whose gateway gives them no id. */
  readonly created: number | null;
  readonly stopSequence: string | null;
  readonly nativeReason: string | null;
}

interface FinishedCall {
  readonly slot: CallSlot;
  readonly callId: string;
  readonly content: string;
}

/** Everything that the finish reason makes final: each item, and the one message that a follow-up repeats. */
export function finishDraft(draft: Draft, mark: FinishMark): readonly WireEvent[] {
  const { wireType, reason, responseId, stopSequence, nativeReason } = mark;
  const calls = draft.calls.all.map((slot) => finishCall(slot, mark));
  return [
    ...identityFaults(draft, wireType),
    ...finishText(draft, wireType),
    ...calls.map((call) => callFinished(call, wireType)),
    {
      type: "response_finished",
      wireType,
      signal: { status: reason, reason: null },
      restated: null,
      output: assembleMessage(draft, calls),
      usage: null,
      responseId,
      ...(stopSequence === null ? {} : { stopSequence }),
      ...(nativeReason === null ? {} : { nativeReason }),
    },
  ];
}

function finishCall(slot: CallSlot, mark: FinishMark): FinishedCall {
  return { slot, callId: slot.id ?? mintCallId(slot, mark), content: argumentText(slot) };
}

/** Depends on nothing that the model wrote, and stays the same however the bytes came. */
function mintCallId({ ordinal }: CallSlot, { responseId, created }: FinishMark): string {
  return `call_${sha256Hex(JSON.stringify(["chat call", responseId, created, ordinal])).slice(0, 24)}`;
}

/** What can't be told apart: arguments that nothing names, and one call that may have come in both forms. */
function identityFaults({ calls }: Draft, wireType: string): readonly WireEvent[] {
  const nameless = calls.all.some(({ id, name }) => id === null && name === null);
  const twofold = calls.all.length > 1 && calls.all.some(({ index }) => index === LEGACY_KEY);
  return nameless || twofold ? [frameError(wireType, "call_identity", "IDENTITY_CONFLICT")] : [];
}

function finishText(draft: Draft, wireType: string): readonly WireEvent[] {
  const content = draft.content.join("");
  const refusal = draft.refusal.length > 0;
  return [
    ...(draft.hasReasoning ? [plainFinished(wireType, "reasoning", { content: null, refusal: false })] : []),
    ...(content !== "" || refusal ? [plainFinished(wireType, "message", { content, refusal })] : []),
  ];
}

function plainFinished(
  wireType: string,
  kind: "message" | "reasoning",
  facts: { readonly content: string | null; readonly refusal: boolean },
): WireEvent {
  const identity = { kind, callId: null, name: null, argumentsKind: null, status: null, raw: null };
  return { type: "item_finished", wireType, slot: kind, ...identity, ...facts };
}

function callFinished({ slot, callId, content }: FinishedCall, wireType: string): WireEvent {
  const { name, argumentsKind } = slot;
  const identity = { kind: "tool_call", callId, name, argumentsKind, status: null, raw: null } as const;
  const flags = slot.id === null ? { flags: ["id_synthesised"] as const } : {};
  return { type: "item_finished", wireType, slot: slot.slot, ...identity, content, refusal: false, ...flags };
}

/** A response of nothing leaves nothing to repeat: an empty message is refused by many providers. */
function assembleMessage(draft: Draft, calls: readonly FinishedCall[]): readonly JsonObject[] {
  const content = draft.content.join("");
  const refusal = draft.refusal.join("");
  if (content === "" && refusal === "" && calls.length === 0) return [];
  return [
    {
      role: "assistant",
      content: content === "" ? null : content,
      ...(refusal === "" ? {} : { refusal }),
      ...draft.extras.build(),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => callObject(call)) }),
    },
  ];
}

function callObject({ slot, callId, content }: FinishedCall): JsonObject {
  const { type, member, name } = slot;
  return {
    id: callId,
    type,
    [member]: { name: name ?? "", [ARGUMENT_FIELDS[member]]: content, ...slot.bodyExtras.build() },
    ...slot.callExtras.build(),
  };
}
