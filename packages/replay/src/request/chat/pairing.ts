import { accept, refuse, type Checked } from "../../refusal.ts";
import type { ChatMessage } from "./messages.ts";

/** Checks that the results of all calls of a message stand right after it, one each, and that none stands alone. */
export function checkPairing(messages: readonly ChatMessage[]): Checked<null> {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (open.delete(message.tool_call_id)) continue;
      const fault = `no open call before this result has the id ${message.tool_call_id}`;
      return refuse("invalid_request", fault, `messages[${index}].tool_call_id`);
    }
    if (open.size > 0) return refuseUnanswered(open, `messages[${index}]`);
    const ids = message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [];
    open = new Set(ids);
    if (open.size < ids.length) {
      return refuse("invalid_request", "two calls have one id", `messages[${index}].tool_calls`);
    }
  }
  return open.size > 0 ? refuseUnanswered(open, "messages") : accept(null);
}

function refuseUnanswered(open: ReadonlySet<string>, place: string): Checked<never> {
  const ids = [...open].join(", ");
  return refuse("invalid_request", `tool_calls have to be followed by a result for each: ${ids}`, place);
}
