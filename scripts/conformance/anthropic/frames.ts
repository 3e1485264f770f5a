import { aside, call as expectedCall, item } from "../case.ts";

/** One event as the protocol writes it. */
export function frame(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

export const STARTED = frame("message_start", {
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "model-1",
    content: [],
    stop_reason: null,
    usage: { input_tokens: 5, output_tokens: 1 },
  },
});

export function start(index: number, block: object): string {
  return frame("content_block_start", { index, content_block: block });
}

export function delta(index: number, change: object): string {
  return frame("content_block_delta", { index, delta: change });
}

export function stop(index: number): string {
  return frame("content_block_stop", { index });
}

export function json(index: number, ...pieces: readonly string[]): string {
  return pieces.map((piece) => delta(index, { type: "input_json_delta", partial_json: piece })).join("");
}

export function toolUse(fields: object = {}): object {
  return { type: "tool_use", id: "call_1", name: "read_file", input: {}, ...fields };
}

/** A whole call: opened, filled, closed. */
export function call(index: number, fields: object = {}, ...pieces: readonly string[]): string {
  return start(index, toolUse(fields)) + json(index, ...pieces) + stop(index);
}

export function text(index: number, ...pieces: readonly string[]): string {
  const deltas = pieces.map((piece) => delta(index, { type: "text_delta", text: piece })).join("");
  return start(index, { type: "text", text: "" }) + deltas + stop(index);
}

export function stopReason(reason: string | null, fields: object = {}): string {
  return frame("message_delta", {
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 7 },
    ...fields,
  });
}

export function message(content: readonly object[], reason: string | null, fields: object = {}): object {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "model-1",
    content,
    stop_reason: reason,
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 7 },
    ...fields,
  };
}

export const STOPPED = frame("message_stop");
export const ENDED = stopReason("tool_use") + STOPPED;
export const ONE = call(0, {}, "", '{"path":', '"a"}');
export const TWO = call(1, { id: "call_2" }, '{"path":"b"}');

export const CALL_A = expectedCall("call_1", "read_file", { path: "a" });
export const CALL_B = expectedCall("call_2", "read_file", { path: "b" });
export const ASIDE_A = aside(CALL_A);
export const ASIDE_B = aside(CALL_B);
export const MESSAGE = item("message");
