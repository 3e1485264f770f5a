import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { ADAPTERS, type Family } from "@airlock/core/wire";
import OpenAI from "openai";

/** A call as a client hands it to its user. Gemini's older models give no ids. */
export interface ClientCall {
  readonly callId: string | null;
  readonly name: string;
  /** Parsed, or the text of a custom tool. */
  readonly arguments: unknown;
}

export type OfficialClient = (model: string) => Promise<readonly ClientCall[]>;

// The gateway wants bytes as they are, and a failure is to be seen rather than tried again.
const HEADERS = { "accept-encoding": "identity" };

/** Each family's own SDK, which asks the gateway for a model's first turn and says which calls it read. */
export function officialClients(url: string): Readonly<Record<Family, OfficialClient>> {
  const shared = { apiKey: "key", maxRetries: 0, defaultHeaders: HEADERS };
  const openai = new OpenAI({ ...shared, baseURL: `${url}/v1` });
  // The SDK's own default is a newer version of the protocol than the one that Airlock asks for.
  const versioned = { ...HEADERS, ...ADAPTERS.anthropic.headers };
  const anthropic = new Anthropic({ ...shared, baseURL: url, defaultHeaders: versioned });
  const google = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: url, headers: HEADERS } });
  return {
    async responses(model) {
      const { output } = await openai.responses.stream({ model, input: "Go." }).finalResponse();
      return output.flatMap((item): readonly ClientCall[] => {
        if (item.type === "function_call") return [call(item.call_id, item.name, item.arguments)];
        if (item.type === "custom_tool_call") {
          return [{ callId: item.call_id, name: item.name, arguments: item.input }];
        }
        if (item.type !== "tool_search_call" || item.execution !== "client") return [];
        return [{ callId: item.call_id, name: item.type, arguments: item.arguments }];
      });
    },
    async chat(model) {
      const messages = [{ role: "user" as const, content: "Go." }];
      const { choices } = await openai.chat.completions.stream({ model, messages }).finalChatCompletion();
      return (choices[0]?.message.tool_calls ?? []).flatMap((one) =>
        one.type === "function" ? [call(one.id, one.function.name, one.function.arguments)] : [],
      );
    },
    async anthropic(model) {
      const messages = [{ role: "user" as const, content: "Go." }];
      const request = { model, max_tokens: 1024, messages };
      const { content } = await anthropic.messages.stream(request).finalMessage();
      return content.flatMap((block) =>
        block.type === "tool_use" ? [{ callId: block.id, name: block.name, arguments: block.input }] : [],
      );
    },
    async gemini(model) {
      const calls: ClientCall[] = [];
      for await (const chunk of await google.models.generateContentStream({ model, contents: "Go." })) {
        for (const { id = null, name = "", args = {} } of chunk.functionCalls ?? []) {
          calls.push({ callId: id, name, arguments: args });
        }
      }
      return calls;
    },
  };
}

function call(callId: string, name: string, text: string): ClientCall {
  return { callId, name, arguments: text.trim() === "" ? {} : JSON.parse(text) };
}
