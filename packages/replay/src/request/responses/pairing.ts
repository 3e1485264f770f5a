import { accept, refuse, type Checked } from "../../refusal.ts";
import type { InputItem } from "./items.ts";

const RESULT_OF = {
  function_call: "function_call_output",
  custom_tool_call: "custom_tool_call_output",
} as const satisfies Partial<Record<NonNullable<InputItem["type"]>, NonNullable<InputItem["type"]>>>;

type Call = Extract<InputItem, { readonly type: keyof typeof RESULT_OF }>;
type Result = Extract<InputItem, { readonly type: (typeof RESULT_OF)[keyof typeof RESULT_OF] }>;

/** Checks that every call has exactly one result after it, of its own kind, and that no result stands alone. */
export function checkPairing(items: readonly InputItem[]): Checked<null> {
  const open = new Map<string, Call>();
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const fault = isCall(item) ? openCall(item, open, seen) : isResult(item) ? closeCall(item, open) : null;
    if (fault !== null) return refuse("invalid_request", fault, `input[${index}].call_id`);
  }
  const [unanswered] = open.values();
  if (unanswered === undefined) return accept(null);
  return refuse(
    "invalid_request",
    `no tool output found for ${unanswered.type} ${unanswered.call_id}`,
    "input",
  );
}

function openCall(call: Call, open: Map<string, Call>, seen: Set<string>): string | null {
  if (seen.has(call.call_id)) return `two calls have the call_id ${call.call_id}`;
  seen.add(call.call_id);
  open.set(call.call_id, call);
  return null;
}

function closeCall(result: Result, open: Map<string, Call>): string | null {
  const call = open.get(result.call_id);
  if (call === undefined) return `no open call before this output has the call_id ${result.call_id}`;
  if (RESULT_OF[call.type] !== result.type) return `a ${call.type} is answered by a ${result.type}`;
  open.delete(result.call_id);
  return null;
}

function isCall(item: InputItem): item is Call {
  return item.type !== undefined && Object.hasOwn(RESULT_OF, item.type);
}

function isResult(item: InputItem): item is Result {
  return item.type === "function_call_output" || item.type === "custom_tool_call_output";
}
