import {
  aside,
  body,
  completes,
  refuses,
  runs,
  sse,
  stops,
  truncates,
  type ConformanceCase,
} from "../case.ts";
import * as c from "./frames.ts";

/** Every finish reason with its outcome: with text, and with a whole call. */
const REASONS = [
  ["stop", completes("stop", c.MESSAGE), runs("stop", c.CALL_A)],
  ["tool_calls", refuses("CALLS_ABSENT", "tool_calls", aside(c.MESSAGE)), runs("tool_calls", c.CALL_A)],
  [
    "function_call",
    refuses("CALLS_ABSENT", "function_call", aside(c.MESSAGE)),
    runs("function_call", c.CALL_A),
  ],
  ["tool_use", refuses("CALLS_ABSENT", "tool_use", aside(c.MESSAGE)), runs("tool_use", c.CALL_A)],
  ["length", truncates("length", aside(c.MESSAGE)), truncates("length", c.ASIDE_A)],
  ["max_tokens", truncates("max_tokens", aside(c.MESSAGE)), truncates("max_tokens", c.ASIDE_A)],
  ["content_filter", stops("content_filter", aside(c.MESSAGE)), stops("content_filter", c.ASIDE_A)],
  ["sensitive", stops("sensitive", aside(c.MESSAGE)), stops("sensitive", c.ASIDE_A)],
  ["SAFETY", stops("SAFETY", aside(c.MESSAGE)), stops("SAFETY", c.ASIDE_A)],
  ...(
    [
      ["error", "PROVIDER_STOPPED"],
      ["insufficient_system_resource", "PROVIDER_STOPPED"],
      ["abort", "PROVIDER_STOPPED"],
      ["aborted", "PROVIDER_STOPPED"],
      ["repetition", "PROVIDER_STOPPED"],
      ["network_error", "PROVIDER_STOPPED"],
      ["other", "PROVIDER_STOPPED"],
      ["unknown", "PROVIDER_STOPPED"],
      ["end_turn", "SIGNAL_FOREIGN"],
      ["model_context_window_exceeded", "SIGNAL_FOREIGN"],
      ["pause_turn", "SIGNAL_FOREIGN"],
      ["refusal", "SIGNAL_FOREIGN"],
      ["stop_sequence", "SIGNAL_FOREIGN"],
      ["BLOCKLIST", "SIGNAL_FOREIGN"],
      ["LANGUAGE", "SIGNAL_FOREIGN"],
      ["MAX_TOKENS", "SIGNAL_FOREIGN"],
      ["OTHER", "SIGNAL_FOREIGN"],
      ["PROHIBITED_CONTENT", "SIGNAL_FOREIGN"],
      ["RECITATION", "SIGNAL_FOREIGN"],
      ["SPII", "SIGNAL_FOREIGN"],
      ["STOP", "SIGNAL_FOREIGN"],
      ["MALFORMED_FUNCTION_CALL", "CALL_MALFORMED"],
      ["UNEXPECTED_TOOL_CALL", "CALL_UNEXPECTED"],
      ["some_future_reason", "SIGNAL_UNKNOWN"],
    ] as const
  ).map(
    ([reason, errorClass]) =>
      [
        reason,
        refuses(errorClass, reason, aside(c.MESSAGE)),
        refuses(errorClass, reason, c.ASIDE_A),
      ] as const,
  ),
] as const;

export const OUTCOMES: readonly ConformanceCase[] = REASONS.flatMap(([reason, withText, withCall]) => {
  const foreign = reason === reason.toUpperCase() && reason !== "SAFETY" ? "upper-" : "";
  const name = foreign + reason.toLowerCase().replaceAll("_", "-");
  const covers =
    reason === "error" || reason === "some_future_reason" ? ["C42"] : reason === "stop" ? ["C26"] : [];
  const message = { tool_calls: [c.call({ id: "call_1", type: "function" }, "read_file", '{"path":"a"}')] };
  return [
    sse(`outcome-${name}-text`, `The finish reason ${reason} behind a text.`, {
      covers: [],
      content: c.chunk({ content: "hi" }) + c.finish(reason) + c.DONE,
      expect: withText,
    }),
    body(`outcome-${name}-text`, `The finish reason ${reason} beside a text, in a whole body.`, {
      covers: [],
      value: c.completion({ content: "hi" }, reason),
      expect: withText,
    }),
    sse(`outcome-${name}-call`, `The finish reason ${reason} behind a whole call.`, {
      covers,
      content: c.ONE + c.finish(reason) + c.DONE,
      expect: withCall,
    }),
    body(`outcome-${name}-call`, `The finish reason ${reason} beside a whole call, in a whole body.`, {
      covers,
      value: c.completion(message, reason),
      expect: withCall,
    }),
  ];
});
