// Takes bytes and the document of their replay, gives what the ground rule has against it, or null. It is written
// to be simple: it knows what has to be there before a call may run, and nothing of how a response is read.
import type { ReplayDocument, ReplayItem, ReplayOptions } from "@airlock/cli";
import type { Family } from "@airlock/core/wire";
import { anthropicGrounds } from "./grounds/anthropic.ts";
import { chatGrounds } from "./grounds/chat.ts";
import { geminiGrounds } from "./grounds/gemini.ts";
import { responsesGrounds } from "./grounds/responses.ts";
import { isObject, oracleMessages, type OracleMessage } from "./messages.ts";

interface Input {
  readonly bytes: Uint8Array;
  readonly options: ReplayOptions;
  readonly document: ReplayDocument;
}

export function objection(input: Input): string | null {
  const { document } = input;
  const wrong = documentObjection(document);
  if (wrong !== null || document.executable.length === 0) return wrong;
  const calls = document.executable
    .map((ordinal) => document.items[ordinal])
    .filter((item) => item !== undefined);
  try {
    return readObjection(input, calls);
  } catch (error) {
    return error instanceof Error ? `it runs in spite of ${error.message}` : "it runs in spite of something";
  }
}

/** What holds for every document, whatever the bytes were. */
function documentObjection({ items, executable, outcome, errorClass }: ReplayDocument): string | null {
  const normal = outcome === "candidate_complete" || outcome === "action_required";
  if (!normal && items.some(({ state }) => state !== "QUARANTINED")) return "an item outlives its response";
  if (outcome === "indeterminate" && errorClass === null) return "nobody says why it is indeterminate";
  if (normal && errorClass !== null) return "a normal end has an error";
  if (executable.length > 0 && outcome !== "action_required") return "calls run though nobody asked for them";
  const callIds = executable.map((ordinal) => items[ordinal]?.callId ?? null).filter((id) => id !== null);
  if (new Set(callIds).size < callIds.length) return "two calls that run have one id";
  const wrong = executable.find((ordinal) => {
    const item = items[ordinal];
    return (
      item?.kind !== "tool_call" ||
      item.state !== "ITEM_TERMINAL" ||
      item.name === null ||
      !hasArguments(item)
    );
  });
  return wrong === undefined ? null : `item ${wrong} runs and is no whole call`;
}

function hasArguments(item: ReplayItem): boolean {
  return item.argumentsKind === "text" ? typeof item.arguments === "string" : isObject(item.arguments);
}

function readObjection({ bytes, options, document }: Input, calls: readonly ReplayItem[]): string | null {
  const read = bytes.subarray(0, document.transport.bytes);
  const whole =
    options.buffered || /^\uFEFF?\s*[[{]/.test(new TextDecoder("utf-8", { ignoreBOM: true }).decode(read));
  const messages = whole ? bodyMessages(read) : oracleMessages(read);
  const { end } = document.transport;
  if (end !== "clean" && end !== "closed_by_marker") return `it runs after the end ${end}`;
  if (end === "closed_by_marker" && MARKERS[options.family] === null) return "there is no such marker";
  const needsMarker =
    !whole &&
    MARKERS[options.family] !== null &&
    (options.closingMarker === "required" || options.family === "responses");
  if (needsMarker && !messages.some((message) => MARKERS[options.family]?.(message) === true))
    return "no marker";
  return GROUNDS[options.family](messages, calls);
}

/** A whole body is one message; a list of Gemini chunks is several. */
function bodyMessages(bytes: Uint8Array): readonly OracleMessage[] {
  const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  const list: readonly unknown[] = Array.isArray(body) ? body : [body];
  return list.map((value) => {
    if (!isObject(value) || (value["error"] ?? null) !== null) throw new Error("an error");
    return { event: null, text: "", data: value };
  });
}

const MARKERS: Readonly<Record<Family, ((message: OracleMessage) => boolean) | null>> = {
  responses: ({ data, event }) => (data?.["type"] ?? event) === "response.completed",
  chat: ({ text }) => text === "[DONE]",
  anthropic: ({ data, event }) => (data?.["type"] ?? event) === "message_stop",
  gemini: null,
};

type Grounds = (messages: readonly OracleMessage[], calls: readonly ReplayItem[]) => string | null;

const GROUNDS: Readonly<Record<Family, Grounds>> = {
  responses: responsesGrounds,
  chat: chatGrounds,
  anthropic: anthropicGrounds,
  gemini: geminiGrounds,
};
