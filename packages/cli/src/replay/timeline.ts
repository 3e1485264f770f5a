// Takes recorded bytes, gives what each message of them told, in order, with runs of the same kind as one entry;
// refuses to conclude anything: that is the reading's.
import type { JsonValue } from "@airlock/core/json";
import { ADAPTERS, createSseReader, type Adapter, type Family, type WireEvent } from "@airlock/core/wire";
import { describeEvent } from "./describe-event.ts";
import { REPLAY_LIMITS, type ReplayOptions } from "./read-responses.ts";

const LOOKED_AT_BYTES = 64;

export interface TimelineEntry {
  /** Bytes that were read when the entry's first message was whole. */
  readonly at: number;
  readonly messages: number;
  readonly wireType: string;
  /** Empty for a message that changes nothing. */
  readonly told: string;
  readonly tone: "plain" | "delta" | "ignored" | "error" | "signal";
}

export function timeline(
  bytes: Uint8Array,
  { family, buffered }: Pick<ReplayOptions, "family" | "buffered">,
): readonly TimelineEntry[] {
  return buffered || holdsJson(bytes) ? bodyTimeline(bytes, family) : streamTimeline(bytes, family);
}

function streamTimeline(bytes: Uint8Array, family: Family): readonly TimelineEntry[] {
  const adapter: Adapter = ADAPTERS[family];
  const sse = createSseReader(REPLAY_LIMITS);
  const decoder = adapter.createDecoder();
  const runs = createRuns();
  const accept = (message: Parameters<typeof decoder.decode>[0]): boolean => {
    const before = decoder.unknownEvents;
    const events = decoder.decode(message);
    const name = message.event ?? events[0]?.wireType ?? "";
    if (events.length === 0) runs.ignored(sse.bytes, name, decoder.unknownEvents > before);
    runs.message(sse.bytes, events);
    return adapter.closesStream(message);
  };
  for (const message of sse.read(bytes)) {
    if (accept(message)) return runs.close(sse.bytes, decoder.end());
  }
  for (const message of sse.end().messages) accept(message);
  return runs.close(sse.bytes, decoder.end());
}

/** An event stream never begins with a bracket. */
function holdsJson(bytes: Uint8Array): boolean {
  return /^\s*[[{]/.test(new TextDecoder().decode(bytes.subarray(0, LOOKED_AT_BYTES)));
}

function bodyTimeline(bytes: Uint8Array, family: Family): readonly TimelineEntry[] {
  const adapter: Adapter = ADAPTERS[family];
  const text = new TextDecoder().decode(bytes);
  const body = parseBody(text);
  // The reading says what is wrong with a body that can't be read.
  return body === null ? [] : createRuns().close(bytes.length, adapter.readBuffered(body.value, text));
}

function parseBody(text: string): { readonly value: JsonValue } | null {
  try {
    // A recorded body: the arguments of a call are text inside it and stay so.
    const value: unknown = JSON.parse(text);
    return isJsonValue(value) ? { value } : null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}

/** JSON.parse gives nothing else. */
function isJsonValue(value: unknown): value is JsonValue {
  return value !== undefined;
}

interface Runs {
  message(at: number, events: readonly WireEvent[]): void;
  ignored(at: number, wireType: string, unknown: boolean): void;
  close(at: number, events: readonly WireEvent[]): readonly TimelineEntry[];
}

/** Joins neighbours that tell of the same: a thousand pieces of one text are one line. */
function createRuns(): Runs {
  const entries: TimelineEntry[] = [];
  let pieces: { key: string; count: number; bytes: number } | null = null;

  function add(entry: TimelineEntry, key: string | null, bytes: number): void {
    const last = entries.at(-1);
    if (key === null || last === undefined || pieces?.key !== key) {
      pieces = key === null ? null : { key, count: 1, bytes };
      entries.push({ ...entry, told: withPieces(entry.told, pieces) });
      return;
    }
    pieces = { key, count: pieces.count + 1, bytes: pieces.bytes + bytes };
    entries.splice(-1, 1, { ...last, messages: last.messages + 1, told: withPieces(entry.told, pieces) });
  }

  function message(at: number, events: readonly WireEvent[]): void {
    for (const event of events) {
      const { told, tone, key, bytes } = describeEvent(event);
      add({ at, messages: 1, wireType: event.wireType, told, tone }, key, bytes);
    }
  }

  return {
    message,
    ignored(at, wireType, unknown) {
      const told = unknown ? "not known, ignored" : "";
      add({ at, messages: 1, wireType, told, tone: "ignored" }, `ignored ${wireType} ${told}`, 0);
    },
    close(at, events) {
      message(at, events);
      return entries;
    },
  };
}

function withPieces(told: string, pieces: { readonly count: number; readonly bytes: number } | null): string {
  if (pieces === null || pieces.bytes === 0) return told;
  return `${told}: ${pieces.bytes} bytes in ${pieces.count} ${pieces.count === 1 ? "piece" : "pieces"}`;
}
