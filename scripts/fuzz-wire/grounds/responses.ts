import { isDeepStrictEqual } from "node:util";
import type { ReplayItem } from "@airlock/cli";
import { listAt, objectAt, typeOf, type OracleMessage } from "../messages.ts";
import { plain, readText } from "../values.ts";

/** Each call was finished as an item, with these arguments, and after all of them the response was completed. */
export function responsesGrounds(
  messages: readonly OracleMessage[],
  calls: readonly ReplayItem[],
): string | null {
  const [first] = messages;
  const body =
    messages.length === 1 && first !== undefined && Array.isArray(first.data?.["output"]) ? first.data : null;
  const finished = messages.map((message, at) => ({
    at,
    item: typeOf(message) === "response.output_item.done" ? objectAt(message.data, "item") : null,
  }));
  const items = body === null ? finished : listAt(body, "output").map((item) => ({ at: -1, item }));
  const completed =
    body === null
      ? messages.findIndex((message) => typeOf(message) === "response.completed")
      : Number(body["status"] === "completed");
  if (completed < 0 || (body !== null && completed === 0)) return "the response was not completed";
  const lost = calls.find(
    (call) => !items.some(({ at, item }) => item !== null && at < completed && isCall(item, call)),
  );
  return lost === undefined ? null : `call ${lost.callId} was never finished so`;
}

function isCall(item: Record<string, unknown>, call: ReplayItem): boolean {
  if (item["call_id"] !== call.callId && item["id"] !== call.callId) return false;
  if (item["name"] !== call.name && item["type"] !== call.name) return false;
  if (item["type"] === "function_call")
    return isDeepStrictEqual(readText(item["arguments"]), plain(call.arguments));
  return item["type"] !== "custom_tool_call" || (item["input"] ?? "") === call.arguments;
}
