import { assertNever } from "@airlock/core/fault";
import { formatRawSignal, type WireEvent } from "@airlock/core/wire";
import type { TimelineEntry } from "./timeline.ts";

export interface EventDescription {
  readonly told: string;
  readonly tone: TimelineEntry["tone"];
  /** Equal for pieces of one text; null for what always has a line of its own. */
  readonly key: string | null;
  /** Size of a piece as UTF-8. */
  readonly bytes: number;
}

/** One wire event in words; never an argument's or a text's own characters. */
export function describeEvent(event: WireEvent): EventDescription {
  switch (event.type) {
    case "response_started":
      return plain(`response ${event.responseId ?? "(no id)"}, model ${event.model ?? "(not said)"}`);
    case "item_started":
      return plain(`${named(event)} begins (${event.slot})`);
    case "argument_delta":
      return piece(`arguments (${event.slot})`, event.text);
    case "text_delta":
      return piece(`text (${event.slot})`, event.text);
    case "argument_finished":
      return plain(`arguments end (${event.slot}): ${Buffer.byteLength(event.text)} bytes`);
    case "item_finished":
      return plain(`${named(event)} ends (${event.slot})${notes(event)}`);
    case "usage_reported": {
      const { inputTokens, outputTokens } = event.usage;
      return plain(`usage: ${inputTokens ?? "?"} tokens in, ${outputTokens ?? "?"} out`);
    }
    case "response_finished": {
      const native = event.nativeReason === undefined ? "" : `, natively ${event.nativeReason}`;
      return { ...plain(`signal: ${formatRawSignal(event.signal)}${native}`), tone: "signal" };
    }
    case "stream_error":
      return { ...plain(`${event.errorClass}: ${event.code ?? event.message ?? "no code"}`), tone: "error" };
    default:
      return assertNever(event);
  }
}

function named(item: Extract<WireEvent, { type: "item_started" | "item_finished" }>): string {
  const id = item.callId === null ? "" : ` ${item.callId}`;
  return `${item.kind}${item.name === null ? "" : ` ${item.name}`}${id}`;
}

function notes({ status, flags = [] }: Extract<WireEvent, { type: "item_finished" }>): string {
  const all = [...(status === null ? [] : [status]), ...flags];
  return all.length === 0 ? "" : `: ${all.join(", ")}`;
}

function plain(told: string): EventDescription {
  return { told, tone: "plain", key: null, bytes: 0 };
}

function piece(told: string, text: string): EventDescription {
  return { told, tone: "delta", key: told, bytes: Buffer.byteLength(text) };
}
