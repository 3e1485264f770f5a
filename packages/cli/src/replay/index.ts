export { readResponses, REPLAY_LIMITS, type ReplayLimits, type ReplayOptions } from "./read-responses.ts";
export { replay } from "./replay.ts";
export type { ReplayDocument, ReplayItem } from "./replay-document.ts";
export type { Registered } from "./replay-item.ts";
export { timeline, type TimelineEntry } from "./timeline.ts";
export { readToolNames } from "./tool-names.ts";
