import { z } from "zod";

const text = z.string();
const count = z.number().int().min(0);

/** One line per item, when its way ends. Exactly these fields; none of them depends on content. */
export const itemDecisionSchema = z.strictObject({
  observed_at: text,
  run_id: text,
  response_id: text.nullable(),
  item_id: text,
  model_route: text,
  stream_event: text,
  tool_name: text.nullable(),
  buffer_bytes: count,
  terminal_seen: z.boolean(),
  json_status: text.nullable(),
  trailing_data: z.boolean(),
  schema_status: text.nullable(),
  policy_status: text.nullable(),
  execution_state: text,
  duration_ms: count.nullable(),
  error_class: text.nullable(),
});
export type ItemDecision = z.infer<typeof itemDecisionSchema>;

/** The same line where an operator has opted in: with a keyed mark of the item's content, null where it has none. */
export const markedItemDecisionSchema = itemDecisionSchema.extend({
  content_hmac: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});
export type MarkedItemDecision = z.infer<typeof markedItemDecisionSchema>;

/** One line per response. */
export const responseDecisionSchema = z.strictObject({
  timestamp: text,
  run_id: text,
  request_id: text,
  model_id: text,
  provider_family: text,
  endpoint_family: text,
  http_status: count.nullable(),
  stream_terminal_seen: z.boolean(),
  raw_finish_signal: text.nullable(),
  normalized_outcome: text,
  input_tokens: count.nullable(),
  output_tokens: count.nullable(),
  response_bytes: count,
  tool_calls_present: z.boolean(),
  schema_valid: z.boolean().nullable(),
  retry_count: count,
  decision: z.enum([
    "unlock_effects",
    "block_side_effects",
    "check_artifact",
    "complete_run",
    "continue_turn",
    "retry_attempt",
    "end_run",
  ]),
});
export type ResponseDecision = z.infer<typeof responseDecisionSchema>;
