import { z } from "zod";
import { LAST_ITEM_ORDINAL } from "../record/index.ts";
import { ITEM_FLAGS, RESPONSE_FLAGS, WIRE_EVENT_TYPES } from "../wire/index.ts";
import { bodyHead, count, digest, errorClass } from "./version.ts";

const attemptHead = { ...bodyHead, turn: count.min(1), attempt: count.min(1) };
/** What the stream had said last, in the vocabulary that all families share. */
const lastEvent = z.enum(WIRE_EVENT_TYPES).nullable();
const ordinal = count.max(LAST_ITEM_ORDINAL);
const kind = z.enum(["tool_call", "message", "reasoning", "provider_executed", "approval_request", "other"]);

/**
 * The terminal record of one item. Its content (arguments, text) lies sealed beside it;
 * `contentDigest` is SHA-256 of that sealed text, null where nothing is kept.
 */
export const itemBodySchema = z.strictObject({
  ...attemptHead,
  ordinal,
  kind,
  callId: z.string().max(1_024).nullable(),
  name: z.string().max(256).nullable(),
  /** of an approval request: the label of the server whose tool it is */
  server: z.string().max(256).exactOptional(),
  argumentsKind: z.enum(["json", "text"]).nullable(),
  bytes: count,
  state: z.enum(["ITEM_TERMINAL", "QUARANTINED"]),
  errorClass: errorClass.nullable(),
  contentDigest: digest.nullable(),
  /** the adapter's version, of an item that was told of before its response had ended */
  adapter: z.string().max(64).exactOptional(),
  /** what people should know of it; left out where that is nothing */
  flags: z.array(z.enum(ITEM_FLAGS)).min(1).exactOptional(),
  /** of an item that is set aside: the last valid event about it */
  lastEvent: lastEvent.exactOptional(),
});
export type ItemBody = z.infer<typeof itemBodySchema>;

/** The one response record of an attempt: how the response ended, and which items it had. */
export const responseBodySchema = z.strictObject({
  ...attemptHead,
  adapter: z.string(),
  responseId: z.string().max(1_024).nullable(),
  raw: z.string().max(256).nullable(),
  outcome: z.strictObject({
    kind: z.enum(["candidate_complete", "truncated", "action_required", "policy_stop", "indeterminate"]),
    action: z.enum(["tool", "continue", "approve"]).nullable(),
  }),
  errorClass: errorClass.nullable(),
  /** what people should know of it; left out where that is nothing */
  flags: z.array(z.enum(RESPONSE_FLAGS)).min(1).exactOptional(),
  /** the provider's own reason, where a gateway gives it on beside `raw` */
  nativeReason: z.string().max(256).exactOptional(),
  /** which of the turn's stop sequences ended the output, by its place in the list; its text stays out of jobs */
  stopSequence: count.nullable(),
  items: z.array(z.strictObject({ ordinal, kind })).max(1_024),
  inputTokens: count.nullable(),
  outputTokens: count.nullable(),
  httpStatus: count.nullable(),
  /** the provider's own word for an error status, or for an error within the stream: letters, digits and `_.-` only */
  errorCode: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/)
    .nullable(),
  transport: z.strictObject({
    end: z.string(),
    bytes: count,
    messages: count,
    unknownEvents: count,
    /** the last valid event of the stream; left out by a streamer that lost it */
    lastEvent: lastEvent.exactOptional(),
  }),
  durationMs: count,
  retryAfterMs: count.nullable(),
});
export type ResponseBody = z.infer<typeof responseBodySchema>;
