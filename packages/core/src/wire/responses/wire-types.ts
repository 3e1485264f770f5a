import type { ArgumentsKind, ItemKind } from "../events.ts";

/** Where an item of this type keeps what a call would be executed with. */
interface ItemType {
  readonly kind: ItemKind;
  readonly argumentsKind: ArgumentsKind | null;
  /** `field`: one text field. `payload`: structured fields, given on as JSON text. `none`: nothing to execute. */
  readonly carrier:
    | { readonly from: "field"; readonly field: "arguments" | "input" }
    | { readonly from: "payload"; readonly fields: readonly string[] }
    | { readonly from: "none" };
}

const NONE = { from: "none" } as const;
const PROVIDER = { kind: "provider_executed", argumentsKind: null, carrier: NONE } as const;
const OTHER = { kind: "other", argumentsKind: null, carrier: NONE } as const;

function builtinCall(...fields: readonly string[]): ItemType {
  return { kind: "tool_call", argumentsKind: "json", carrier: { from: "payload", fields } };
}

/** Every output item type of the protocol and who acts on it. A type that is not here is `other`. */
const ITEM_TYPES = {
  additional_tools: OTHER,
  apply_patch_call: builtinCall("operation"),
  code_interpreter_call: PROVIDER,
  compaction: OTHER,
  computer_call: builtinCall("action", "actions", "pending_safety_checks"),
  custom_tool_call: {
    kind: "tool_call",
    argumentsKind: "text",
    carrier: { from: "field", field: "input" },
  },
  file_search_call: PROVIDER,
  function_call: {
    kind: "tool_call",
    argumentsKind: "json",
    carrier: { from: "field", field: "arguments" },
  },
  image_generation_call: PROVIDER,
  local_shell_call: builtinCall("action"),
  mcp_approval_request: {
    kind: "approval_request",
    argumentsKind: "json",
    carrier: { from: "field", field: "arguments" },
  },
  mcp_call: PROVIDER,
  mcp_list_tools: PROVIDER,
  message: { kind: "message", argumentsKind: null, carrier: NONE },
  program: PROVIDER,
  // An echo of a result: nobody has anything left to execute.
  program_output: OTHER,
  reasoning: { kind: "reasoning", argumentsKind: null, carrier: NONE },
  shell_call: builtinCall("action"),
  tool_search_call: builtinCall("arguments"),
  web_search_call: PROVIDER,
} as const satisfies Record<string, ItemType>;

const ITEM_TYPE_BY_NAME: ReadonlyMap<string, ItemType> = new Map(Object.entries(ITEM_TYPES));

export function itemType(name: string): ItemType {
  return ITEM_TYPE_BY_NAME.get(name) ?? OTHER;
}

/** Types whose opening event carries a placeholder: recorded streams finish them under another call id. */
export const PROVISIONAL_CALL_IDS: ReadonlySet<string> = new Set(["tool_search_call"]);

/** The events that close a stream, and the status that each stands for. */
export const CLOSING_EVENTS: ReadonlyMap<string, string> = new Map([
  ["response.completed", "completed"],
  ["response.failed", "failed"],
  ["response.incomplete", "incomplete"],
]);

/** Known events that change nothing here: progress, parts, reasoning, and what the provider does by itself. */
const SILENT_EVENTS: ReadonlySet<string> = new Set([
  "keepalive",
  "response.apply_patch_call_operation_diff.delta",
  "response.apply_patch_call_operation_diff.done",
  "response.audio.delta",
  "response.audio.done",
  "response.audio.transcript.delta",
  "response.audio.transcript.done",
  "response.code_interpreter_call.completed",
  "response.code_interpreter_call.in_progress",
  "response.code_interpreter_call.interpreting",
  "response.code_interpreter_call_code.delta",
  "response.code_interpreter_call_code.done",
  "response.content_part.added",
  "response.content_part.done",
  "response.file_search_call.completed",
  "response.file_search_call.in_progress",
  "response.file_search_call.searching",
  "response.image_generation_call.completed",
  "response.image_generation_call.generating",
  "response.image_generation_call.in_progress",
  "response.image_generation_call.partial_image",
  "response.keep_alive",
  "response.mcp_call.completed",
  "response.mcp_call.failed",
  "response.mcp_call.in_progress",
  "response.mcp_call_arguments.delta",
  "response.mcp_call_arguments.done",
  "response.mcp_list_tools.completed",
  "response.mcp_list_tools.failed",
  "response.mcp_list_tools.in_progress",
  "response.output_text.annotation.added",
  "response.output_text.done",
  "response.reasoning_summary_part.added",
  "response.reasoning_summary_part.done",
  "response.reasoning_summary_text.delta",
  "response.reasoning_summary_text.done",
  "response.reasoning_text.delta",
  "response.reasoning_text.done",
  "response.refusal.done",
  "response.shell_call_command.added",
  "response.shell_call_command.delta",
  "response.shell_call_command.done",
  "response.web_search_call.completed",
  "response.web_search_call.in_progress",
  "response.web_search_call.searching",
]);

/** What an event type that has no reader means. */
export function unreadEvent(wireType: string): "silent" | "unknown" | "response_ended" {
  if (SILENT_EVENTS.has(wireType)) return "silent";
  // An ending that this build does not know: `response.cancelled` is a status without an event, so far.
  return /^(response\.)?(failed|cancelled|canceled|incomplete)$/.test(wireType)
    ? "response_ended"
    : "unknown";
}
