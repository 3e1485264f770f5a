import { accept, refuse, type Checked } from "../../refusal.ts";
import type { Message } from "./blocks.ts";

/**
 * Checks that the message after calls begins with one result for each of them, and that no result stands anywhere
 * else. Assistant messages in a row count as one: the API joins them.
 */
export function checkPairing(messages: readonly Message[]): Checked<null> {
  if (messages[0]?.role !== "user") {
    return refuse("invalid_request", "the first message has to be the user's", "messages[0].role");
  }
  let open: ReadonlySet<string> = new Set();
  for (const [index, message] of messages.entries()) {
    const place = `messages[${index}].content`;
    if (message.role === "assistant") {
      const ids = [...open, ...callsOf(message)];
      open = new Set(ids);
      if (open.size < ids.length) return refuse("invalid_request", "two calls have one id", place);
      continue;
    }
    const fault = answerFault(message, open);
    if (fault !== null) return refuse("invalid_request", fault, place);
    open = new Set();
  }
  return open.size === 0
    ? accept(null)
    : refuse("invalid_request", `no tool_result for ${[...open].join(", ")}`, "messages");
}

function answerFault(message: Extract<Message, { role: "user" }>, open: ReadonlySet<string>): string | null {
  const blocks = typeof message.content === "string" ? [] : message.content;
  const results = blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
  const stray = results.find((id) => !open.has(id));
  if (stray !== undefined) return `no call of the message before has the id ${stray}`;
  if (new Set(results).size < results.length) return "two results answer one call";
  const missing = [...open].filter((id) => !results.includes(id));
  if (missing.length > 0) return `no tool_result for ${missing.join(", ")}`;
  const late = blocks.slice(results.length).some((block) => block.type === "tool_result");
  return late ? "tool_result blocks have to come first" : null;
}

function callsOf(message: Extract<Message, { role: "assistant" }>): readonly string[] {
  return message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
}
