export { anthropicBodyOutput, anthropicStreamOutput } from "./anthropic.ts";
export { chatBodyOutput, chatStreamOutput, isChatReplay } from "./chat.ts";
export { isRecord, jsonOrNull, type RecordedItem } from "./events.ts";
export { geminiBodyOutput, geminiStreamOutput } from "./gemini.ts";
export { responsesBodyOutput, responsesStreamOutput } from "./responses.ts";
