import type { Adapter } from "./adapter.ts";
import { anthropicAdapter } from "./anthropic/index.ts";
import { chatAdapter } from "./chat/index.ts";
import type { Family } from "./family.ts";
import { geminiAdapter } from "./gemini/index.ts";
import { responsesAdapter } from "./responses/index.ts";

/** The registry of wire families: a new family is a folder and a line here. */
export const ADAPTERS = {
  responses: responsesAdapter,
  chat: chatAdapter,
  anthropic: anthropicAdapter,
  gemini: geminiAdapter,
} as const satisfies Record<Family, Adapter>;
