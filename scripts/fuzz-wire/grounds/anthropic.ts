import { isDeepStrictEqual } from "node:util";
import type { ReplayItem } from "@airlock/cli";
import { listAt, objectAt, typeOf, type OracleMessage } from "../messages.ts";
import { plain, readText } from "../values.ts";

/** A block that was opened and closed, with this input, and `tool_use` as the only reason to stop. */
export function anthropicGrounds(
  messages: readonly OracleMessage[],
  calls: readonly ReplayItem[],
): string | null {
  const [first] = messages;
  const body = first !== undefined && Array.isArray(first.data?.["content"]) ? first.data : null;
  const reasons = messages
    .map((message) =>
      body === null && typeOf(message) === "message_delta"
        ? objectAt(message.data, "delta")["stop_reason"]
        : null,
    )
    .concat(body?.["stop_reason"] ?? null)
    .filter((reason) => (reason ?? "") !== "" && typeof reason === "string");
  if (reasons.length === 0 || reasons.some((reason) => reason !== "tool_use"))
    return "no reason to stop asks for calls";
  const lost = calls.find((call) =>
    body === null
      ? !hasBlock(messages, call)
      : !listAt(body, "content").some((block) => isBlock(block, call)),
  );
  return lost === undefined ? null : `call ${lost.callId} has no such block`;
}

function hasBlock(messages: readonly OracleMessage[], call: ReplayItem): boolean {
  const of = (type: string, index: unknown) =>
    messages.filter((message) => typeOf(message) === type && message.data?.["index"] === index);
  return messages.some((message) => {
    const block = objectAt(message.data, "content_block");
    const index = message.data?.["index"];
    if (typeOf(message) !== "content_block_start" || !isNamed(block, call)) return false;
    if (of("content_block_start", index).length !== 1 || of("content_block_stop", index).length !== 1)
      return false;
    const pieces = of("content_block_delta", index).map(
      ({ data }) => objectAt(data, "delta")["partial_json"] ?? "",
    );
    if (!pieces.every((piece) => typeof piece === "string")) return false;
    const streamed = pieces.join("");
    const input = streamed === "" ? (block["input"] ?? {}) : readText(streamed);
    return isDeepStrictEqual(input === "" ? {} : input, plain(call.arguments));
  });
}

function isNamed(block: Record<string, unknown>, call: ReplayItem): boolean {
  return block["type"] === "tool_use" && block["id"] === call.callId && block["name"] === call.name;
}

function isBlock(block: Record<string, unknown>, call: ReplayItem): boolean {
  return isNamed(block, call) && isDeepStrictEqual(block["input"] ?? {}, plain(call.arguments));
}
