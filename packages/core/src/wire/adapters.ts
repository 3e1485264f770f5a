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

/** Whether an event of the family's own says that an item is whole while the response still goes on. */
export const PROVES_ITEMS = {
  responses: true,
  chat: false,
  anthropic: true,
  gemini: false,
} as const satisfies Record<Family, boolean>;
