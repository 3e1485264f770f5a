import { expect, test } from "vitest";
import { itemDecisionSchema, responseDecisionSchema } from "@airlock/core/runtime";

const ITEM_FIELDS =
  "observed_at, run_id, response_id, item_id, model_route, stream_event, tool_name, buffer_bytes, terminal_seen, json_status, trailing_data, schema_status, policy_status, execution_state, duration_ms, error_class";
const RESPONSE_FIELDS =
  "timestamp, run_id, request_id, model_id, provider_family, endpoint_family, http_status, stream_terminal_seen, raw_finish_signal, normalized_outcome, input_tokens, output_tokens, response_bytes, tool_calls_present, schema_valid, retry_count, decision";

test.each([
  ["item", itemDecisionSchema, ITEM_FIELDS],
  ["response", responseDecisionSchema, RESPONSE_FIELDS],
] as const)(
  "a line of the %s log has exactly the fields of the design, in its order",
  (_, schema, fields) => {
    expect(Object.keys(schema.shape).join(", ")).toBe(fields);
  },
);

test("a line with a further field is refused", () => {
  const line = {
    observed_at: "",
    run_id: "",
    response_id: null,
    item_id: "",
    model_route: "",
    stream_event: "",
    tool_name: null,
    buffer_bytes: 0,
    terminal_seen: true,
    json_status: null,
    trailing_data: false,
    schema_status: null,
    policy_status: null,
    execution_state: "",
    duration_ms: null,
    error_class: null,
  };
  expect(itemDecisionSchema.safeParse(line).success).toBe(true);
  expect(itemDecisionSchema.safeParse({ ...line, arguments: "{}" }).success).toBe(false);
});
