import { isJsonArray, type JsonObject, type JsonValue } from "../../json/index.ts";
import type { Usage, WireEvent } from "../events.ts";
import { count, object, objects, text } from "../fields.ts";
import { frameError, readError } from "../frame.ts";
import { createDraft, enterDelta, hasContent } from "./assemble.ts";
import type { SourceText } from "./call-fragment.ts";
import { isContent } from "./extras.ts";
import { finishDraft, type FinishMark } from "./finish.ts";
import { FINISHES_WITH_CALLS } from "./wire-types.ts";

export interface ChunkReader {
  /** Null for an object that is no chunk. */
  read(data: JsonObject, source: SourceText): readonly WireEvent[] | null;
}

interface State {
  readonly draft: ReturnType<typeof createDraft>;
  responseId: string | null;
  created: number | null;
  hasStarted: boolean;
  finish: string | null;
}

/** Where a choice keeps what it says: a stream's `delta`, or the `message` of a whole response. */
export type ChoiceMember = "delta" | "message";

export function createChunkReader(member: ChoiceMember = "delta"): ChunkReader {
  const draft = createDraft();
  const state: State = { draft, responseId: null, created: null, hasStarted: false, finish: null };
  return {
    read(data, source) {
      const choices = data["choices"];
      if (choices === undefined) return null;
      const wireType = text(data["object"]) ?? "";
      const list = objects(choices ?? undefined);
      if (choices !== null && (!isJsonArray(choices) || list.length < choices.length)) {
        return [frameError(wireType, "malformed_frame", "STREAM_MALFORMED")];
      }
      return [
        ...start(state, data, wireType),
        ...usageEvents(data["usage"], wireType),
        ...readChoices(state, list, { wireType, member, source }),
      ];
    },
  };
}

interface ChunkContext {
  readonly wireType: string;
  readonly member: ChoiceMember;
  readonly source: SourceText;
}

/** Some gateways open with a chunk that has no id yet. */
function start(state: State, data: JsonObject, wireType: string): readonly WireEvent[] {
  const responseId = state.responseId ?? text(data["id"]);
  const isNews = !state.hasStarted || responseId !== state.responseId;
  state.responseId = responseId;
  state.created ??= count(data["created"]);
  state.hasStarted = true;
  return isNews ? [{ type: "response_started", wireType, responseId, model: text(data["model"]) }] : [];
}

function readChoices(
  state: State,
  choices: readonly JsonObject[],
  context: ChunkContext,
): readonly WireEvent[] {
  const [choice] = choices;
  if (choice === undefined) return [];
  // Of several answers nobody has said which one counts.
  if (choices.length > 1 || (choice["index"] ?? 0) !== 0) {
    return [frameError(context.wireType, "several_choices", "IDENTITY_CONFLICT")];
  }
  return readChoice(state, choice, context);
}

function readChoice(state: State, choice: JsonObject, context: ChunkContext): readonly WireEvent[] {
  const { wireType, member } = context;
  const delta = choice[member] ?? {};
  const finish = choice["finish_reason"] ?? "";
  const content = object(delta);
  if (content === null || typeof finish !== "string") {
    return [frameError(wireType, "malformed_frame", "STREAM_MALFORMED")];
  }
  const source: SourceText = (path) => context.source(["choices", 0, member, ...path]);
  return [
    ...choiceErrors(choice, context),
    ...usageEvents(choice["usage"], wireType),
    ...enterContent(state, { wireType, delta: content, source }),
    ...(finish === "" ? [] : enterFinish(state, { reason: finish, ...endingOf(choice) }, wireType)),
  ];
}

function choiceErrors(choice: JsonObject, { wireType, member }: ChunkContext): readonly WireEvent[] {
  const events = (choice["error"] ?? null) === null ? [] : [readError(choice)];
  return member === "delta" && holdsMessage(choice)
    ? [...events, frameError(wireType, "message_in_stream", "EVENT_ORDER")]
    : events;
}

/** A whole message beside the deltas may repeat the text so far; in their place, or with calls, it can't be both. */
function holdsMessage(choice: JsonObject): boolean {
  const message = object(choice["message"]);
  if (message === null) return false;
  if (isContent(message["tool_calls"]) || isContent(message["function_call"])) return true;
  return (choice["delta"] ?? null) === null && hasContent(message);
}

function enterContent(state: State, piece: Parameters<typeof enterDelta>[1]): readonly WireEvent[] {
  if (state.finish === null) return enterDelta(state.draft, piece);
  return hasContent(piece.delta)
    ? [frameError(piece.wireType, "content_after_finish", "EVENT_AFTER_FINISH")]
    : [];
}

/** What some servers say beside the reason. A stop that was matched by number is a token, the model's own end. */
function endingOf(choice: JsonObject): Pick<FinishMark, "stopSequence" | "nativeReason"> {
  return { stopSequence: text(choice["matched_stop"]), nativeReason: text(choice["native_finish_reason"]) };
}

function enterFinish(
  state: State,
  ending: Pick<FinishMark, "reason" | "stopSequence" | "nativeReason">,
  wireType: string,
): readonly WireEvent[] {
  const { draft, responseId, created, finish } = state;
  const { reason } = ending;
  if (finish === null) {
    state.finish = reason;
    return finishDraft(draft, { wireType, responseId, created, ...ending });
  }
  if (finish === reason || isSameEnd(finish, reason, draft.calls.all.length)) return [];
  const signal = { status: reason, reason: null };
  return [{ type: "response_finished", wireType, signal, restated: null, usage: null, responseId }];
}

/** With calls both words ask for the same thing; without any, only one of them would be true. */
function isSameEnd(earlier: string, later: string, calls: number): boolean {
  const areBoth = FINISHES_WITH_CALLS.has(earlier) && FINISHES_WITH_CALLS.has(later);
  return areBoth && (calls > 0 || earlier === "tool_calls");
}

function usageEvents(value: JsonValue | undefined, wireType: string): readonly WireEvent[] {
  const source = object(value);
  if (source === null) return [];
  const usage: Usage = {
    inputTokens: count(source["prompt_tokens"]),
    outputTokens: count(source["completion_tokens"]),
  };
  return [{ type: "usage_reported", wireType, usage }];
}
