export { checkVersion, parseAnthropicRequest, type AnthropicRequest } from "./anthropic/request.ts";
export { parseChatRequest, type ChatRequest } from "./chat/request.ts";
export { joinTexts } from "./gemini/join-texts.ts";
export { parseGeminiRequest, type GeminiRequest } from "./gemini/request.ts";
export { checkAuthorization, checkBodyHeaders } from "./headers.ts";
export type { Entry, PlayableRequest } from "./playable.ts";
export { parseResponsesRequest, type ResponsesRequest } from "./responses/request.ts";
