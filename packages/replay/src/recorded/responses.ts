/** In come the bytes of a recorded response, out come the output items that a client has to replay after it. */
import { isJson, isRecord, recordedEvents, recordsOf, type RecordedItem } from "./events.ts";

const TERMINAL_TYPES: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);

/**
 * The finished items of a response in the order of their index, or null where the stream has no closing event: such a
 * response never became part of a conversation.
 */
export function responsesStreamOutput(bytes: Uint8Array): readonly RecordedItem[] | null {
  const items: { readonly index: number; readonly item: RecordedItem }[] = [];
  for (const event of recordedEvents(bytes)) {
    if (TERMINAL_TYPES.has(event["type"])) {
      return items.toSorted((a, b) => a.index - b.index).map(({ item }) => item);
    }
    const item = event["item"];
    if (event["type"] === "response.output_item.done" && isRecord(item)) {
      items.push({ index: Number(event["output_index"]), item: carried(item) });
    }
  }
  return null;
}

export function responsesBodyOutput(body: RecordedItem): readonly RecordedItem[] | null {
  const ended = body["status"] === "completed" || body["status"] === "incomplete";
  return ended ? recordsOf(body["output"]).map(carried) : null;
}

/** A client must not send on what is no JSON: the provider would refuse the whole conversation. */
function carried(item: RecordedItem): RecordedItem {
  const sent = item["arguments"];
  const whole = item["type"] !== "function_call" || typeof sent !== "string" || isJson(sent);
  return whole ? item : { ...item, arguments: "{}" };
}
