/** One chunk as the protocol writes it. */
export function chunk(fields: object): string {
  return `data: ${JSON.stringify({ responseId: "resp_1", modelVersion: "m", ...fields })}\r\n\r\n`;
}

export function parts(...sent: readonly object[]): string {
  return chunk({ candidates: [{ content: { role: "model", parts: sent }, index: 0 }] });
}

export function text(piece: string): object {
  return { text: piece };
}

export function call(functionCall: object): object {
  return { functionCall };
}

export function finish(reason: string, ...sent: readonly object[]): string {
  const content = sent.length === 0 ? {} : { content: { role: "model", parts: sent } };
  return chunk({ candidates: [{ ...content, finishReason: reason, index: 0 }] });
}

export const READ_A = call({ name: "read_file", args: { path: "a" } });
export const READ_B = call({ name: "read_file", args: { path: "b" } });
export const STOP = finish("STOP");

/** A fragment of a call that is streamed. */
export function fragment(...partialArgs: readonly object[]): object {
  return call({ partialArgs, willContinue: true });
}

export function piece(jsonPath: string, stringValue: string, willContinue?: boolean): object {
  return { jsonPath, stringValue, ...(willContinue === undefined ? {} : { willContinue }) };
}

export const OPENER = call({ name: "read_file", willContinue: true });
export const CLOSER = call({});
