import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { createResponseReader } from "@airlock/core/terminal";
import { ADAPTERS } from "@airlock/core/wire";
import { jsonSchema, streamText, tool } from "ai";
import { createParser } from "eventsource-parser";
import OpenAI from "openai";
import type { LongStream } from "./long-streams.ts";

/** Reads a stream to its end and gives the arguments of its one call: as text, or parsed where a client parses. */
export type Contender = (stream: LongStream) => Promise<unknown>;

/** Raised far beyond the product's own, so that they never end a long stream. */
const LIMITS = {
  maxMessageBytes: 2 ** 30,
  maxStreamBytes: 2 ** 31,
  maxArgumentBytes: 2 ** 30,
  maxItems: 128,
  requestedMaxOutputTokens: null,
} as const;

/** Bytes to terminal records, as the streamer does it. */
export const airlock: Contender = async ({ family, chunks }) => {
  const reader = createResponseReader(ADAPTERS[family], LIMITS);
  for (const chunk of chunks) {
    if (reader.push(chunk) === "closed") break;
  }
  const { outcome, items } = reader.end("clean");
  if (outcome.action !== "tool") throw new Error(`the outcome is ${outcome.kind}`);
  return items[0]?.content;
};

interface Delta {
  readonly delta?: string | { readonly partial_json?: string };
}

/** What nobody can do without: finding the messages, parsing each, joining the pieces. Nothing is checked. */
const floor: Contender = async ({ chunks }) => {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  const parser = createParser({
    onEvent({ data }) {
      const { delta } = JSON.parse(data) as Delta;
      if (typeof delta === "string") pieces.push(delta);
      else if (delta?.partial_json !== undefined) pieces.push(delta.partial_json);
    },
  });
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
  return pieces.join("");
};

/** An answer whose body is the stream: no contender has a socket, so none waits for one. */
function answering({ chunks }: LongStream): () => Promise<Response> {
  return async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

const openaiSdk: Contender = async (stream) => {
  const client = new OpenAI({ apiKey: "key", fetch: answering(stream) });
  const { output } = await client.responses.stream({ model: "m", input: "Go." }).finalResponse();
  const [item] = output;
  return item?.type === "function_call" ? item.arguments : null;
};

const anthropicSdk: Contender = async (stream) => {
  const client = new Anthropic({ apiKey: "key", fetch: answering(stream) });
  const messages = [{ role: "user" as const, content: "Go." }];
  const message = await client.messages.stream({ model: "m", max_tokens: 1, messages }).finalMessage();
  const [block] = message.content;
  return block?.type === "tool_use" ? block.input : null;
};

const aiSdk: Contender = async (stream) => {
  const provider = createOpenAI({ apiKey: "key", fetch: answering(stream) });
  const properties = { path: { type: "string" }, content: { type: "string" } } as const;
  const inputSchema = jsonSchema({ type: "object", properties, required: ["path", "content"] });
  const result = streamText({
    model: provider.responses("m"),
    prompt: "Go.",
    maxRetries: 0,
    tools: { write_file: tool({ inputSchema }) },
  });
  const [call] = await result.toolCalls;
  return call?.input;
};

export const CONTENDERS = { airlock, floor, openaiSdk, anthropicSdk, aiSdk } as const satisfies Record<
  string,
  Contender
>;

export type ContenderName = keyof typeof CONTENDERS;
