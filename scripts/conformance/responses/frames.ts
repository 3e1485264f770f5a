import { aside, call, item } from "../case.ts";

/** One event as the protocol writes it. */
export function frame(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

export const CREATED = frame("response.created", {
  response: { id: "resp_1", model: "model-1", status: "in_progress" },
});

export function added(index: number, output: object): string {
  return frame("response.output_item.added", { output_index: index, item: output });
}

export function done(index: number, output: object): string {
  return frame("response.output_item.done", { output_index: index, item: output });
}

export function delta(index: number, ...pieces: readonly string[]): string {
  const type = "response.function_call_arguments.delta";
  return pieces.map((piece) => frame(type, { output_index: index, delta: piece })).join("");
}

export function argumentsDone(index: number, text: string, fields: object = {}): string {
  return frame("response.function_call_arguments.done", { output_index: index, arguments: text, ...fields });
}

export function ended(status: string, fields: object = {}): string {
  return frame(`response.${status}`, { response: { id: "resp_1", status, ...fields } });
}

export function functionCall(fields: object = {}): object {
  return {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "read_file",
    arguments: '{"path":"a"}',
    status: "completed",
    ...fields,
  };
}

export function message(text: string, fields: object = {}): object {
  return {
    type: "message",
    id: "msg_1",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [] }],
    status: "completed",
    ...fields,
  };
}

/** A call that is opened and finished, with the arguments in the finishing event alone. */
export function whole(index: number, output: object): string {
  return added(index, { ...output, arguments: "", status: "in_progress" }) + done(index, output);
}

export function response(output: readonly object[], fields: object = {}): object {
  return { id: "resp_1", object: "response", model: "model-1", status: "completed", output, ...fields };
}

export const A = functionCall();
export const B = functionCall({ id: "fc_2", call_id: "call_2", arguments: '{"path":"b"}' });
export const OPENED = CREATED + added(0, functionCall({ arguments: "", status: "in_progress" }));
export const STREAMED = OPENED + delta(0, '{"path":', '"a"}');
export const FINISHED = STREAMED + argumentsDone(0, '{"path":"a"}') + done(0, A);
export const COMPLETED = ended("completed");

export const CALL_A = call("call_1", "read_file", { path: "a" });
export const CALL_B = call("call_2", "read_file", { path: "b" });
export const ASIDE_A = aside(CALL_A);
export const ASIDE_B = aside(CALL_B);
export const MESSAGE = item("message");
