import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages";
import type { Content, FunctionCallingConfigMode, GenerateContentConfig, Tool } from "@google/genai";
import type { ChatCompletionCreateParams } from "openai/resources/chat/completions";
import type { ResponseCreateParams } from "openai/resources/responses/responses";
import type { AnthropicRequest, ChatRequest, GeminiRequest, ResponsesRequest } from "@airlock/replay";
import { expectTypeOf, test } from "vitest";

type Streamed<T> = Omit<T, "stream"> & { stream: true };
type Buffered<T> = Omit<T, "stream"> & { stream?: false };

// Checked by the compiler: at run time nothing is left of it.
test("what the gateway accepts is what each API's own types allow", () => {
  expectTypeOf<Streamed<ResponsesRequest>>().toExtend<ResponseCreateParams>();
  expectTypeOf<Buffered<ResponsesRequest>>().toExtend<ResponseCreateParams>();
  expectTypeOf<Streamed<ChatRequest>>().toExtend<ChatCompletionCreateParams>();
  expectTypeOf<Buffered<ChatRequest>>().toExtend<ChatCompletionCreateParams>();
  expectTypeOf<Streamed<AnthropicRequest>>().toExtend<MessageCreateParams>();
  expectTypeOf<Buffered<AnthropicRequest>>().toExtend<MessageCreateParams>();
});

test("what the gateway accepts of Gemini is what the SDK makes of its own parameters", () => {
  expectTypeOf<GeminiRequest["contents"]>().toExtend<Content[]>();
  expectTypeOf<NonNullable<GeminiRequest["systemInstruction"]>>().toExtend<Content>();
  expectTypeOf<NonNullable<GeminiRequest["tools"]>>().toExtend<Tool[]>();
  // The SDK's enum has these values, and no text is assignable to an enum.
  type Mode = NonNullable<GeminiRequest["toolConfig"]>["functionCallingConfig"]["mode"];
  expectTypeOf<Mode>().toExtend<`${FunctionCallingConfigMode}`>();
  expectTypeOf<NonNullable<GeminiRequest["generationConfig"]>>().toExtend<GenerateContentConfig>();
});
