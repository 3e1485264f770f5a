export interface LongStream {
  readonly family: "responses" | "anthropic";
  /** The stream's bytes as a socket gives them. */
  readonly chunks: readonly Uint8Array[];
  readonly bytes: number;
  readonly events: number;
  /** The arguments that every contender has to end up with. */
  readonly argumentsText: string;
}

export interface StreamShape {
  readonly argumentBytes: number;
  readonly deltaBytes: number;
}

const CHUNK_BYTES = 16 * 1024;

/** One call of `write_file` whose content is as long as asked for, in deltas of a fixed length. */
export function longStream(family: LongStream["family"], shape: StreamShape): LongStream {
  const argumentsText = longArguments(shape.argumentBytes);
  const deltas: string[] = [];
  for (let at = 0; at < argumentsText.length; at += shape.deltaBytes) {
    deltas.push(argumentsText.slice(at, at + shape.deltaBytes));
  }
  const events = family === "responses" ? responsesEvents(deltas, argumentsText) : anthropicEvents(deltas);
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  const bytes = new TextEncoder().encode(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / CHUNK_BYTES) }, (_, at) =>
    bytes.slice(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES),
  );
  return { family, chunks, bytes: bytes.length, events: events.length, argumentsText };
}

/** Source code is what such calls carry, so it has quotes, line ends and letters outside ASCII. */
function longArguments(length: number): string {
  const line = 'export const greeting = "Grüß dich"; // a line of code, as models write it\n';
  const frame = JSON.stringify({ path: "src/greeting.ts", content: "" }).length;
  const escaped = JSON.stringify(line).length - 2;
  const content = line.repeat(Math.ceil((length - frame) / escaped));
  return JSON.stringify({ path: "src/greeting.ts", content });
}

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

function responsesEvents(deltas: readonly string[], argumentsText: string): readonly Event[] {
  const item = { id: "fc_1", type: "function_call", call_id: "call_1", name: "write_file" };
  const opened = { ...item, status: "in_progress", arguments: "" };
  const finished = { ...item, status: "completed", arguments: argumentsText };
  const place = { output_index: 0, item_id: "fc_1" };
  const response = { id: "resp_1", object: "response", created_at: 1, model: "m", error: null };
  const usage = {
    input_tokens: 1,
    output_tokens: 1,
    total_tokens: 2,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const events: readonly Event[] = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: opened },
    ...deltas.map((delta) => ({ type: "response.function_call_arguments.delta", ...place, delta })),
    { type: "response.function_call_arguments.done", ...place, arguments: argumentsText },
    { type: "response.output_item.done", output_index: 0, item: finished },
    {
      type: "response.completed",
      response: { ...response, status: "completed", output: [finished], usage },
    },
  ];
  return events.map((event, at) => ({ ...event, sequence_number: at }));
}

function anthropicEvents(deltas: readonly string[]): readonly Event[] {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], usage };
  const block = { type: "tool_use", id: "toolu_1", name: "write_file", input: {} };
  return [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: "content_block_start", index: 0, content_block: block },
    ...deltas.map((text) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json: text },
    })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}
