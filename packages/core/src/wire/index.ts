export type {
  Adapter,
  Decoder,
  EncodeInput,
  EncodeTool,
  NormalizedOutcome,
  Observed,
  Skimmed,
} from "./adapter.ts";
export { ADAPTERS, PROVES_ITEMS } from "./adapters.ts";
export { conversationEntrySchema, type ConversationEntry } from "./conversation.ts";
export {
  ITEM_FLAGS,
  RESPONSE_FLAGS,
  WIRE_EVENT_TYPES,
  isDelta,
  type ArgumentsKind,
  type ItemFacts,
  type ItemFlag,
  type ItemKind,
  type ResponseFlag,
  type StreamError,
  type Usage,
  type WireEvent,
} from "./events.ts";
export { FAMILIES, type Family } from "./family.ts";
export {
  formatRawSignal,
  INDETERMINATE,
  isNormalEnd,
  type Outcome,
  type OutcomeKind,
  type RawSignal,
} from "./outcome.ts";
export { samplingOf, type Sampling } from "./sampling.ts";
export type { Blocks } from "./sse-blocks.ts";
export { createSseReader, type SseEnd, type SseLimits, type SseMessage, type SseReader } from "./sse.ts";
