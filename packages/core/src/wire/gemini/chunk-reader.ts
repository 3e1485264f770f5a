// Takes the chunks of one response in order, gives wire events and, at the end, the finishing signals: they are
// held back until then, since text and usage may follow the finish reason.
import type { JsonObject } from "../../json/index.ts";
import type { RawSignal } from "../outcome.ts";
import type { WireEvent } from "../events.ts";
import { count, object, objects, text } from "../fields.ts";
import { frameError } from "../frame.ts";
import { createFunctionCalls, type FunctionCalls } from "./function-calls.ts";
import { createTextRuns, type TextRuns } from "./text-runs.ts";
import { BLOCKED, CHUNK, isChunk, partKind, UNSPECIFIED } from "./wire-types.ts";

/** The text of the arguments of the part at an index; null where it has none. */
export type ArgsSource = (partIndex: number) => string | null;

export interface ChunkReader {
  read(chunk: JsonObject, argsSource: ArgsSource): readonly WireEvent[] | "unknown";
  end(): readonly WireEvent[];
}

interface State {
  readonly calls: FunctionCalls;
  readonly texts: TextRuns;
  readonly finishReasons: Set<string>;
  readonly blockReasons: Set<string>;
  responseId: string | null;
  unspecified: boolean;
  /** What the provider says of the end in words. */
  message: string | null;
  chunks: number;
}

export function createChunkReader(): ChunkReader {
  const state: State = {
    calls: createFunctionCalls(),
    texts: createTextRuns(),
    finishReasons: new Set(),
    blockReasons: new Set(),
    responseId: null,
    unspecified: false,
    message: null,
    chunks: 0,
  };
  return {
    read(chunk, argsSource) {
      if (!isChunk(chunk)) return "unknown";
      state.chunks += 1;
      return [...readHead(state, chunk), ...readCandidate(state, chunk, argsSource)];
    },
    end: () => [...state.texts.close(), ...signals(state).map((signal) => finished(state, signal))],
  };
}

function readHead(state: State, chunk: JsonObject): readonly WireEvent[] {
  const responseId = text(chunk["responseId"]);
  const isNew = state.chunks === 1 || (state.responseId === null && responseId !== null);
  state.responseId ??= responseId;
  const feedback = object(chunk["promptFeedback"]);
  const blockReason = text(feedback?.["blockReason"]);
  state.message ??= text(feedback?.["blockReasonMessage"]);
  if (blockReason !== null) state.blockReasons.add(blockReason);
  const model = text(chunk["modelVersion"]);
  return [
    ...(isNew ? [{ type: "response_started" as const, wireType: CHUNK, responseId, model }] : []),
    ...readUsage(object(chunk["usageMetadata"])),
  ];
}

/** Thoughts are paid from the same budget as the answer, so they count against the cap. */
function readUsage(usage: JsonObject | null): readonly WireEvent[] {
  if (usage === null) return [];
  const spent = [count(usage["candidatesTokenCount"]), count(usage["thoughtsTokenCount"])];
  const known = spent.filter((tokens) => tokens !== null);
  const outputTokens = known.length === 0 ? null : known.reduce((sum, tokens) => sum + tokens, 0);
  const inputTokens = count(usage["promptTokenCount"]);
  return [{ type: "usage_reported", wireType: CHUNK, usage: { inputTokens, outputTokens } }];
}

function readCandidate(state: State, chunk: JsonObject, argsSource: ArgsSource): readonly WireEvent[] {
  const sent = chunk["candidates"] ?? [];
  const candidates = objects(sent);
  if (!Array.isArray(sent) || sent.length !== candidates.length) return [malformed()];
  const [candidate] = candidates;
  if (candidate === undefined) return [];
  // Which of several answers is meant, nobody could say.
  if (candidates.length > 1 || (count(candidate["index"]) ?? 0) > 0) {
    return [frameError(CHUNK, "several_candidates", "IDENTITY_CONFLICT")];
  }
  // What stands in the same chunk as the finish reason came before it.
  const events = readParts(state, candidate, argsSource);
  const reason = text(candidate["finishReason"]);
  state.message ??= text(candidate["finishMessage"]);
  if (reason === UNSPECIFIED) state.unspecified = true;
  else if (reason !== null) state.finishReasons.add(reason);
  return events;
}

function readParts(state: State, candidate: JsonObject, argsSource: ArgsSource): readonly WireEvent[] {
  const sent = object(candidate["content"])?.["parts"] ?? [];
  const parts = objects(sent);
  if (!Array.isArray(sent) || sent.length !== parts.length) return [malformed()];
  return parts.flatMap((part, index): readonly WireEvent[] => {
    const kind = partKind(part);
    if (kind === "ambiguous") return [frameError(CHUNK, "ambiguous_part", "IDENTITY_CONFLICT")];
    if (kind !== "tool_call") return state.texts.read(part, kind);
    const late = state.finishReasons.size > 0;
    return [
      ...(late ? [frameError(CHUNK, "call_after_finish", "EVENT_AFTER_FINISH")] : []),
      ...state.texts.close(),
      ...state.calls.read({ part, argsText: argsSource(index), chunk: state.chunks }),
    ];
  });
}

/** All that were sent: where they differ, none of them counts. */
function signals(state: State): readonly RawSignal[] {
  const sent = [
    ...[...state.finishReasons].map((status) => ({ status, reason: null })),
    ...[...state.blockReasons].map((reason) => ({ status: BLOCKED, reason })),
  ];
  return sent.length === 0 && state.unspecified ? [{ status: UNSPECIFIED, reason: null }] : sent;
}

function finished(state: State, signal: RawSignal): WireEvent {
  const { responseId, message } = state;
  const end = { type: "response_finished", wireType: CHUNK, signal, restated: null, usage: null } as const;
  return { ...end, responseId, ...(message === null ? {} : { message }) };
}

function malformed(): WireEvent {
  return frameError(CHUNK, "malformed_frame", "STREAM_MALFORMED");
}
