import { aside, call as expectedCall, item } from "../case.ts";

export function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** One chunk with one choice, as the protocol writes it. */
export function choice(fields: object, chunkFields: object = {}): string {
  return data({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 7,
    model: "model-1",
    choices: [{ index: 0, ...fields }],
    ...chunkFields,
  });
}

export function chunk(delta: object, fields: object = {}): string {
  return choice({ delta, finish_reason: null, ...fields });
}

/** A chunk with fragments of calls. */
export function calls(...fragments: readonly object[]): string {
  return chunk({ tool_calls: fragments });
}

/** A fragment; a name or arguments that are left out are not in it. */
export function call(identity: object, name?: string, args?: unknown): object {
  return {
    ...identity,
    function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
  };
}

export function more(index: number, args: unknown): object {
  return call({ index }, undefined, args);
}

export function finish(reason: unknown, fields: object = {}): string {
  return chunk({}, { finish_reason: reason, ...fields });
}

export function usage(outputTokens: number): string {
  const counts = { prompt_tokens: 3, completion_tokens: outputTokens };
  return data({ id: "chatcmpl-1", object: "chat.completion.chunk", choices: [], usage: counts });
}

export function completion(message: object, finishReason: string | null, fields: object = {}): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 7,
    model: "model-1",
    choices: [
      { index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: finishReason },
    ],
    ...fields,
  };
}

export const DONE = "data: [DONE]\n\n";
export const ROLE = chunk({ role: "assistant", content: "" });
export const A = { index: 0, id: "call_1", type: "function" };
export const B = { index: 1, id: "call_2", type: "function" };
export const ONE = calls(call(A, "read_file", '{"path":"a"}'));
export const TWO = calls(call(B, "read_file", '{"path":"b"}'));
export const CALLED = finish("tool_calls") + DONE;

export const CALL_A = expectedCall("call_1", "read_file", { path: "a" });
export const CALL_B = expectedCall("call_2", "read_file", { path: "b" });
export const ASIDE_A = aside(CALL_A);
/** Our id of the first call of a response that has the id and the time of these frames. */
export const MINTED = "call_4870ac651c6f375e180f1bab";
/** A name may come in pieces, so there is none before the finish. */
export const UNFINISHED = aside(expectedCall("call_1", null, null), "ITEM_INCOMPLETE");
export const MESSAGE = item("message");
