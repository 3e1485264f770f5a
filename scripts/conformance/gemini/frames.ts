import { aside, call as expectedCall, item } from "../case.ts";

/** One chunk as the protocol writes it. */
export function chunk(fields: object): string {
  return `data: ${JSON.stringify({ responseId: "resp_1", modelVersion: "model-1", ...fields })}\r\n\r\n`;
}

export function parts(...sent: readonly object[]): string {
  return chunk({ candidates: [{ content: { role: "model", parts: sent }, index: 0 }] });
}

export function call(functionCall: object): object {
  return { functionCall };
}

export function read(path: string, id?: string): object {
  return call({ ...(id === undefined ? {} : { id }), name: "read_file", args: { path } });
}

export function finish(reason: string, ...sent: readonly object[]): string {
  const content = sent.length === 0 ? {} : { content: { role: "model", parts: sent } };
  return chunk({ candidates: [{ ...content, finishReason: reason, index: 0 }] });
}

export function fragment(...partialArgs: readonly object[]): object {
  return call({ partialArgs, willContinue: true });
}

export function piece(jsonPath: string, stringValue: string, willContinue?: boolean): object {
  return { jsonPath, stringValue, ...(willContinue === undefined ? {} : { willContinue }) };
}

export function response(sent: readonly object[], reason: string | null, fields: object = {}): object {
  const finished = reason === null ? {} : { finishReason: reason };
  return {
    responseId: "resp_1",
    modelVersion: "model-1",
    candidates: [{ content: { role: "model", parts: sent }, ...finished, index: 0 }],
    ...fields,
  };
}

/** A whole body of a prompt that was not answered. */
export function blocked(promptFeedback: object): object {
  return { responseId: "resp_1", modelVersion: "model-1", promptFeedback };
}

export function text(piece: string): object {
  return { text: piece };
}

export const READ_A = read("a");
export const READ_B = read("b");
export const STOP = finish("STOP");
export const OPENER = call({ name: "read_file", willContinue: true });
export const CLOSER = call({});

export const CALL_A = expectedCall(null, "read_file", { path: "a" });
export const CALL_B = expectedCall(null, "read_file", { path: "b" });
export const ASIDE_A = aside(CALL_A);
export const ASIDE_B = aside(CALL_B);
export const MESSAGE = item("message");
