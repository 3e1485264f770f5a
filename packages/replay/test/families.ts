import type { Gateway } from "@airlock/replay";
import { z } from "zod";
import { HEADERS } from "./client.ts";

export type Json = Readonly<Record<string, unknown>>;

/** What the tests say in each family's words: the same two turns, with thoughts and two parallel calls. */
export interface FamilyCase {
  readonly path: string;
  readonly buffered: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A first request, and what it is answered. */
  readonly request: Json;
  readonly answer: Json;
  readonly stream: string;
  /** The first request with the replayed answer and its results. */
  readonly follow: (output: readonly Json[]) => Json;
  /** What the follow-up replays. */
  readonly output: readonly Json[];
  readonly last: string;
}

const SCHEMA = { type: "object", properties: {}, required: [], additionalProperties: false };

export function frames(...data: readonly unknown[]): string {
  return data.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`).join("");
}

export function chatStream(...deltas: readonly Json[]): string {
  const chunks = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
  const finish = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  return frames(...chunks, finish, "[DONE]");
}

function anthropicStream(...blocks: readonly { start: Json; deltas?: readonly Json[] }[]): string {
  return frames(
    { type: "message_start", message: { id: "msg_1", content: [] } },
    ...blocks.flatMap(({ start, deltas = [] }, index) => [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: "tool_use" } },
    { type: "message_stop" },
  );
}

export function geminiStream(...contents: readonly (readonly Json[])[]): string {
  const chunks = contents.map((parts) => ({ candidates: [{ content: { role: "model", parts } }] }));
  return frames(...chunks, { candidates: [{ finishReason: "STOP" }] });
}

const chatCalls = ["a", "b"].map((id) => ({
  id: `call_${id}`,
  type: "function",
  function: { name: "read_file", arguments: `{"path":"${id}"}` },
  ...(id === "a" ? { extra_content: { google: { thought_signature: "sig" } } } : {}),
}));
const chatMessage = {
  role: "assistant",
  content: "Reading.",
  reasoning_content: "I think so.",
  tool_calls: chatCalls,
};

const chat: FamilyCase = {
  path: "/v1/chat/completions",
  buffered: "/v1/chat/completions",
  headers: HEADERS,
  request: {
    model: "replay/case",
    stream: true,
    messages: [{ role: "user", content: "Fix it." }],
    tools: [{ type: "function", function: { name: "read_file", description: "Reads.", parameters: SCHEMA } }],
  },
  stream: chatStream(
    { role: "assistant", reasoning_content: "I think" },
    { reasoning_content: " so.", content: "Rea" },
    { content: "ding." },
    {
      tool_calls: [
        { ...chatCalls[0], index: 0, function: { name: "read_file", arguments: '{"pa' } },
        { index: 1, id: "call_b", type: "function", function: { name: "read_file", arguments: "" } },
      ],
    },
    { tool_calls: [{ index: 1, function: { arguments: '{"path":"b"}' } }] },
    { tool_calls: [{ index: 0, function: { arguments: 'th":"a"}' } }] },
  ),
  answer: { choices: [{ index: 0, message: chatMessage, finish_reason: "tool_calls" }] },
  output: [chatMessage],
  follow: (output) => ({
    ...chat.request,
    messages: [
      { role: "user", content: "Fix it." },
      ...output,
      { role: "tool", tool_call_id: "call_b", content: "B" },
      { role: "tool", tool_call_id: "call_a", content: "A" },
    ],
  }),
  last: chatStream({ content: "Done." }),
};

const blocks = [
  { type: "thinking", thinking: "I think so.", signature: "sig" },
  { type: "redacted_thinking", data: "sealed" },
  { type: "text", text: "Reading." },
  { type: "tool_use", id: "toolu_a", name: "read_file", input: { path: "a" } },
  { type: "tool_use", id: "toolu_b", name: "read_file", input: { path: "b" } },
];
const [thinking = {}, redacted = {}, ...visible] = blocks;
const [, callA = {}, callB = {}] = visible;

const anthropic: FamilyCase = {
  path: "/v1/messages",
  buffered: "/v1/messages",
  headers: { ...HEADERS, "anthropic-version": "2023-06-01" },
  request: {
    model: "replay/case",
    max_tokens: 4096,
    stream: true,
    messages: [{ role: "user", content: [{ type: "text", text: "Fix it." }] }],
    tools: [{ name: "read_file", description: "Reads.", input_schema: SCHEMA }],
  },
  stream: anthropicStream(
    {
      start: { ...thinking, thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking: "I think " },
        { type: "thinking_delta", thinking: "so." },
        { type: "signature_delta", signature: "sig" },
      ],
    },
    { start: redacted },
    { start: { type: "text", text: "" }, deltas: [{ type: "text_delta", text: "Reading." }] },
    {
      start: { ...callA, input: {} },
      deltas: [
        { type: "input_json_delta", partial_json: '{"path":' },
        { type: "input_json_delta", partial_json: '"a"}' },
      ],
    },
    { start: callB },
  ),
  answer: { type: "message", content: blocks, stop_reason: "tool_use" },
  output: blocks,
  follow: (content) => ({
    ...anthropic.request,
    messages: [
      { role: "user", content: [{ type: "text", text: "Fix it." }] },
      { role: "assistant", content },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_b", content: "B" },
          { type: "tool_result", tool_use_id: "toolu_a", content: "A", is_error: true },
        ],
      },
    ],
  }),
  last: anthropicStream({ start: { type: "text", text: "Done." } }),
};

const parts = [
  { thought: true, text: "I think so." },
  { text: "Reading." },
  { functionCall: { id: "c1", name: "read_file", args: { path: "a" } }, thoughtSignature: "sig" },
  { functionCall: { id: "c2", name: "read_file", args: { path: "b" } } },
];
const [, , partA = {}, partB = {}] = parts;

const gemini: FamilyCase = {
  path: "/v1beta/models/replay%2Fcase:streamGenerateContent?alt=sse",
  buffered: "/v1beta/models/replay%2Fcase:generateContent",
  headers: HEADERS,
  request: {
    contents: [{ role: "user", parts: [{ text: "Fix it." }] }],
    tools: [
      {
        functionDeclarations: [{ name: "read_file", description: "Reads.", parametersJsonSchema: SCHEMA }],
      },
    ],
  },
  stream: geminiStream(
    [{ thought: true, text: "I think " }],
    [{ thought: true, text: "so." }, { text: "Read" }],
    [{ text: "ing." }, partA],
    [partB],
  ),
  answer: { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] },
  output: parts,
  follow: (replayed) => ({
    ...gemini.request,
    contents: [
      { role: "user", parts: [{ text: "Fix it." }] },
      { role: "model", parts: replayed },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "c1", name: "read_file", response: { output: "A" } } },
          { functionResponse: { id: "c2", name: "read_file", response: { output: "B" } } },
        ],
      },
    ],
  }),
  last: geminiStream([{ text: "Done." }]),
};

export const CASES = { chat, anthropic, gemini } as const satisfies Record<string, FamilyCase>;
export const CASE_LIST: readonly (readonly [keyof typeof CASES, FamilyCase])[] = [
  ["chat", chat],
  ["anthropic", anthropic],
  ["gemini", gemini],
];

export function send(
  gateway: Gateway,
  path: string,
  options: { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const { body, headers = HEADERS } = options;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(`${gateway.url}${path}`, { method: "POST", redirect: "manual", headers, body: text });
}

const errors = z.object({
  error: z.object({
    message: z.string(),
    param: z.string().optional(),
    details: z.array(z.looseObject({ fieldViolations: z.array(z.object({ field: z.string() })) })).optional(),
  }),
});

/** Status, field and reason of an error, whichever family's body says them. */
export async function errorOf(
  response: Response,
): Promise<{ readonly status: number; readonly field: string; readonly message: string }> {
  const { error } = errors.parse(await response.json());
  const own = error.param ?? error.details?.[0]?.fieldViolations[0]?.field;
  const [, before = ""] = /^([\w.[\]-]+): /u.exec(error.message) ?? [];
  return { status: response.status, field: own ?? before, message: error.message };
}
