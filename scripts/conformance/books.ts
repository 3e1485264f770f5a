import { ANTHROPIC_BOOK } from "./anthropic/book.ts";
import { CHAT_BOOK } from "./chat/book.ts";
import { GEMINI_BOOK } from "./gemini/book.ts";
import { RESPONSES_BOOK } from "./responses/book.ts";

export const BOOKS = {
  responses: RESPONSES_BOOK,
  chat: CHAT_BOOK,
  anthropic: ANTHROPIC_BOOK,
  gemini: GEMINI_BOOK,
} as const;
