/** In come the bytes of a recorded message, out come the content blocks that a client has to replay after it. */
import { isRecord, jsonOrNull, recordedEvents, recordsOf, textOf, type RecordedItem } from "./events.ts";

interface Block {
  readonly start: RecordedItem;
  readonly deltas: RecordedItem[];
}

/** Null where the stream has no stop reason: such a message never became part of a conversation. */
export function anthropicStreamOutput(bytes: Uint8Array): readonly RecordedItem[] | null {
  const blocks = new Map<unknown, Block>();
  let stopped = false;
  for (const event of recordedEvents(bytes)) {
    const { type, index, delta, content_block: start } = event;
    if (type === "message_delta" && isRecord(delta)) stopped ||= textOf(delta["stop_reason"]) !== "";
    if (type === "content_block_start" && isRecord(start)) blocks.set(index, { start, deltas: [] });
    if (type === "content_block_delta" && isRecord(delta)) blocks.get(index)?.deltas.push(delta);
  }
  return stopped ? [...blocks.values()].map((block) => blockOf(block)).filter(isSendable) : null;
}

export function anthropicBodyOutput(body: RecordedItem): readonly RecordedItem[] | null {
  return textOf(body["stop_reason"]) === "" ? null : recordsOf(body["content"]).filter(isSendable);
}

/** The API refuses a conversation with an empty text block, although it sends them. */
function isSendable(block: RecordedItem): boolean {
  return block["type"] !== "text" || textOf(block["text"]) !== "";
}

function blockOf({ start, deltas }: Block): RecordedItem {
  const block: Record<string, unknown> = { ...start };
  for (const delta of deltas) {
    if (delta["type"] === "text_delta") block["text"] = textOf(block["text"]) + textOf(delta["text"]);
    if (delta["type"] === "thinking_delta") {
      block["thinking"] = textOf(block["thinking"]) + textOf(delta["thinking"]);
    }
    if (delta["type"] === "signature_delta") block["signature"] = delta["signature"];
    if (delta["type"] === "compaction_delta" && delta["content"] !== null) {
      block["content"] = textOf(block["content"]) + textOf(delta["content"]);
    }
    if (delta["type"] === "citations_delta") {
      block["citations"] = [...recordsOf(block["citations"]), delta["citation"]];
    }
  }
  return /(?:^|_)tool_use$/u.test(textOf(start["type"]))
    ? { ...block, input: inputOf(start, deltas) }
    : block;
}

/** Input that is no JSON object can't be sent on, so the call stands there without. */
function inputOf(start: RecordedItem, deltas: readonly RecordedItem[]): unknown {
  const sent = deltas.map((delta) => textOf(delta["partial_json"])).join("");
  if (sent !== "") return objectOr(jsonOrNull(sent));
  return objectOr(start["input"]);
}

function objectOr(value: unknown): RecordedItem {
  return isRecord(value) ? value : {};
}
