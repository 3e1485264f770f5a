import { aside, body, call, refuses, runs, sse } from "../case.ts";
import type { ConformanceCase } from "../case.ts";
import * as r from "./frames.ts";

const MISMATCH = refuses("ARGUMENTS_MISMATCH", "completed", aside(r.CALL_A, "ARGUMENTS_MISMATCH"));
const RUNS = runs("completed", r.CALL_A);

function restated(name: string, title: string, output: readonly object[]): ConformanceCase {
  return sse(`c45-restated-${name}`, title, {
    covers: ["C45"],
    content: r.FINISHED + r.ended("completed", { output }),
    expect: refuses("RESTATED_MISMATCH", "completed", r.ASIDE_A),
  });
}

/** What gateways in front of this protocol really send. */
export const DEVIATIONS: readonly ConformanceCase[] = [
  sse("c45-output-empty", "A closing event that repeats no output says nothing against the items.", {
    covers: ["C45"],
    content: r.FINISHED + r.ended("completed", { output: [] }),
    expect: RUNS,
  }),
  sse("c45-output-missing", "A closing event without an output field is the same.", {
    covers: ["C45"],
    content: r.FINISHED + r.COMPLETED,
    expect: RUNS,
  }),
  sse("c45-output-restated", "A closing event that repeats exactly what was streamed agrees.", {
    covers: ["C45"],
    content: r.FINISHED + r.ended("completed", { output: [r.A] }),
    expect: RUNS,
  }),
  restated("arguments", "Other arguments in the closing event make the response indeterminate.", [
    r.functionCall({ arguments: '{"path":"/etc"}' }),
  ]),
  restated("name", "Another name in the closing event makes the response indeterminate.", [
    r.functionCall({ name: "write_file" }),
  ]),
  restated("call-id", "Another call id in the closing event makes the response indeterminate.", [
    r.functionCall({ call_id: "call_9" }),
  ]),
  restated("extra-call", "A call that only the closing event has makes the response indeterminate.", [
    r.A,
    r.B,
  ]),
  restated("missing-call", "A call that a non-empty closing output lacks makes it indeterminate.", [
    r.message("done"),
  ]),
  sse("c46-no-deltas", "Arguments that come in the finishing events alone are whole.", {
    covers: ["C46"],
    content: r.OPENED + r.argumentsDone(0, '{"path":"a"}') + r.done(0, r.A) + r.COMPLETED,
    expect: RUNS,
  }),
  sse("c46-item-alone", "An item that is only ever finished is whole.", {
    covers: ["C46"],
    content: r.CREATED + r.done(0, r.A) + r.COMPLETED,
    expect: RUNS,
  }),
  sse(
    "c47-no-arguments-done",
    "The end of the arguments may be missing where the end of the item is there.",
    {
      covers: ["C47"],
      content: r.STREAMED + r.done(0, r.A) + r.COMPLETED,
      expect: RUNS,
    },
  ),
  sse("c47-no-item-done", "Without the end of the item nothing runs, though the response completed.", {
    covers: ["C47"],
    content: r.STREAMED + r.argumentsDone(0, '{"path":"a"}') + r.COMPLETED,
    expect: refuses("ITEM_INCOMPLETE", "completed", aside(r.CALL_A, "ITEM_INCOMPLETE")),
  }),
  sse("c47-no-item-done-restated", "Nor does it run where the closing event repeats the call.", {
    covers: ["C47"],
    content: r.STREAMED + r.whole(1, r.B) + r.ended("completed", { output: [r.A, r.B] }),
    expect: refuses("ITEM_INCOMPLETE", "completed", aside(r.CALL_A, "ITEM_INCOMPLETE"), r.ASIDE_B),
  }),
  sse("c48-final-differs", "Final arguments that differ from the pieces are nobody's.", {
    covers: ["C48"],
    content: r.STREAMED + r.done(0, r.functionCall({ arguments: '{"path":"b"}' })) + r.COMPLETED,
    expect: MISMATCH,
  }),
  sse("c48-final-extends", "Final arguments that only extend the pieces differ, too.", {
    covers: ["C48"],
    content: r.OPENED + r.delta(0, '{"path":') + r.done(0, r.A) + r.COMPLETED,
    expect: MISMATCH,
  }),
  sse("c48-arguments-done-differs", "The end of the arguments and the end of the item have to agree.", {
    covers: ["C48"],
    content: r.OPENED + r.argumentsDone(0, "{}") + r.done(0, r.A) + r.COMPLETED,
    expect: MISMATCH,
  }),
  sse(
    "c50-item-ids-rotate",
    "Item ids that change with every event are ignored: the output index tells items apart.",
    {
      covers: ["C50"],
      content:
        r.CREATED +
        r.added(0, r.functionCall({ id: "x1", arguments: "" })) +
        r.frame("response.function_call_arguments.delta", {
          item_id: "x2",
          output_index: 0,
          delta: '{"path":"a"}',
        }) +
        r.done(0, r.functionCall({ id: "x3" })) +
        r.ended("completed", { output: [r.functionCall({ id: "x4" })] }),
      expect: RUNS,
    },
  ),
  sse("c50-call-ids-differ", "Two call ids of one item are two calls' worth of doubt.", {
    covers: ["C50"],
    content: r.OPENED + r.done(0, r.functionCall({ call_id: "call_9" })) + r.COMPLETED,
    // The finished item is what is shown; neither of its ids runs.
    expect: refuses(
      "IDENTITY_CONFLICT",
      "completed",
      aside(call("call_9", "read_file", null), "IDENTITY_CONFLICT"),
    ),
  }),
  sse(
    "c52-no-numbers",
    "Events without numbers, progress before the beginning, and bare heartbeats are fine.",
    {
      covers: ["C52"],
      content: `data: {}\n\n${r.frame("response.in_progress", { response: { id: "resp_1" } })}data:\n\n${r.FINISHED}${r.COMPLETED}`,
      expect: { ...RUNS, unknownEvents: 1 },
    },
  ),
  sse("c52-numbers-decrease", "Numbers that run backwards mean that two streams became one.", {
    covers: ["C52"],
    content:
      r.frame("response.created", { sequence_number: 7, response: { id: "resp_1" } }) +
      r.frame("response.in_progress", { sequence_number: 3, response: { id: "resp_1" } }) +
      r.whole(0, r.A) +
      r.COMPLETED,
    expect: refuses("EVENT_ORDER", "completed", r.ASIDE_A),
  }),
  sse("c53-unknown-events", "Keep-alives and events of unknown types change nothing.", {
    covers: ["C53"],
    content:
      r.FINISHED +
      r.frame("keepalive", { sequence_number: 4 }) +
      r.frame("response.hologram.delta", { output_index: 0, delta: "x" }) +
      r.frame("response.hologram.failed") +
      r.COMPLETED,
    expect: { ...RUNS, unknownEvents: 2 },
  }),
  ...["failed", "cancelled", "incomplete"].map((ending) =>
    sse(
      `c53-unknown-ending-${ending}`,
      `An unknown ending of the response (${ending}) makes it indeterminate.`,
      {
        covers: ["C53"],
        content:
          ending === "cancelled"
            ? r.FINISHED + r.frame("response.cancelled") + r.COMPLETED
            : r.FINISHED + r.frame(ending) + r.COMPLETED,
        expect: refuses("SIGNAL_UNKNOWN", "completed", r.ASIDE_A),
      },
    ),
  ),
  sse("c54-no-event-lines", "The type in the data is enough.", {
    covers: ["C54"],
    content: (r.FINISHED + r.COMPLETED).replaceAll(/^event: .*\n/gm, ""),
    expect: RUNS,
  }),
  sse("c54-two-types", "An event line that says another type than its data can't be trusted.", {
    covers: ["C54"],
    content: `${r.FINISHED}event: response.in_progress\ndata: {"type":"keepalive"}\n\n${r.COMPLETED}`,
    expect: refuses("STREAM_MALFORMED", "completed", r.ASIDE_A),
  }),
  sse("c55-no-identity-at-the-end", "A closing event without id and model still closes.", {
    covers: ["C55"],
    content: r.FINISHED + r.frame("response.completed", { response: { status: "completed" } }),
    expect: RUNS,
  }),
  sse(
    "c56-error-swallowed",
    "A bridge that swallows an error leaves an empty completion, which is flagged.",
    {
      covers: ["C56"],
      content: r.CREATED + r.ended("completed", { error: null, output: [] }),
      expect: {
        outcome: "candidate_complete",
        raw: "completed",
        errorClass: null,
        items: [],
        flags: ["empty"],
      },
    },
  ),
  body("c56-error-swallowed", "The same as a whole body.", {
    covers: ["C56"],
    value: r.response([], { error: null }),
    expect: {
      outcome: "candidate_complete",
      raw: "completed",
      errorClass: null,
      items: [],
      flags: ["empty"],
    },
  }),
  sse("c94-padding-and-long-ids", "Random padding and very long ids are part of the protocol.", {
    covers: ["C94"],
    content:
      r.CREATED +
      r.added(0, r.functionCall({ call_id: "c".repeat(400), arguments: "" })) +
      r.frame("response.function_call_arguments.delta", {
        output_index: 0,
        delta: '{"path":"a"}',
        obfuscation: "x7Kq2mPz",
      }) +
      r.done(0, r.functionCall({ call_id: "c".repeat(400) })) +
      r.COMPLETED,
    expect: runs("completed", call("c".repeat(400), "read_file", { path: "a" })),
  }),
];
