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
import * as a from "./frames.ts";

/** Every stop reason: with text, and with a whole call. */
const REASONS = [
  ["end_turn", completes("end_turn", a.MESSAGE), refuses("SIGNAL_CONFLICT", "end_turn", a.ASIDE_A)],
  [
    "stop_sequence",
    completes("stop_sequence", a.MESSAGE),
    refuses("SIGNAL_CONFLICT", "stop_sequence", a.ASIDE_A),
  ],
  ["tool_use", refuses("CALLS_ABSENT", "tool_use", aside(a.MESSAGE)), runs("tool_use", a.CALL_A)],
  ["max_tokens", truncates("max_tokens", aside(a.MESSAGE)), truncates("max_tokens", a.ASIDE_A)],
  [
    "model_context_window_exceeded",
    { ...truncates("model_context_window_exceeded", aside(a.MESSAGE)), errorClass: "CONTEXT_FULL" },
    { ...truncates("model_context_window_exceeded", a.ASIDE_A), errorClass: "CONTEXT_FULL" },
  ],
  ["pause_turn", runs("pause_turn", a.MESSAGE), refuses("SIGNAL_CONFLICT", "pause_turn", a.ASIDE_A)],
  ["refusal", stops("refusal", aside(a.MESSAGE)), stops("refusal", a.ASIDE_A)],
  ...(
    [
      ["compaction", "SIGNAL_UNREQUESTED"],
      ["terminated", "SIGNAL_UNKNOWN"],
      ["some_future_reason", "SIGNAL_UNKNOWN"],
    ] as const
  ).map(
    ([reason, errorClass]) =>
      [
        reason,
        refuses(errorClass, reason, aside(a.MESSAGE)),
        refuses(errorClass, reason, a.ASIDE_A),
      ] as const,
  ),
] as const;

export const OUTCOMES: readonly ConformanceCase[] = REASONS.flatMap(([reason, withText, withCall]) => {
  const name = reason.replaceAll("_", "-");
  const covers = reason === "terminated" || reason === "some_future_reason" ? ["C68"] : [];
  return [
    sse(`outcome-${name}-text`, `The stop reason ${reason} behind a text.`, {
      covers,
      content: a.STARTED + a.text(0, "hi") + a.stopReason(reason) + a.STOPPED,
      expect: withText,
    }),
    body(`outcome-${name}-text`, `The stop reason ${reason} beside a text, in a whole body.`, {
      covers,
      value: a.message([{ type: "text", text: "hi" }], reason),
      expect: withText,
    }),
    sse(`outcome-${name}-call`, `The stop reason ${reason} behind a whole call.`, {
      covers,
      content: a.STARTED + a.ONE + a.stopReason(reason) + a.STOPPED,
      expect: withCall,
    }),
    body(`outcome-${name}-call`, `The stop reason ${reason} beside a whole call, in a whole body.`, {
      covers,
      value: a.message([a.toolUse({ input: { path: "a" } })], reason),
      expect: withCall,
    }),
  ];
});
