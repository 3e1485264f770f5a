import { describe, expect, test } from "vitest";
import { readBufferedResponse, type ResponseReading, type StopSequence } from "@airlock/core/terminal";
import { ADAPTERS } from "@airlock/core/wire";
import {
  STARTED,
  stopReason,
  STOPPED,
  text,
  call,
} from "../../../../scripts/conformance/anthropic/frames.ts";
import { LIMITS, readStream } from "../wire/readings.ts";
import { call as fragment, calls, chunk, DONE, finish } from "./chat-streams.ts";

const SEQUENCES: readonly StopSequence[] = [
  { sequence: "END", meaning: "complete" },
  { sequence: "CUT", meaning: "truncated" },
];

function ended(named: unknown, reason = "stop_sequence"): string {
  return stopReason(reason, { delta: { stop_reason: reason, stop_sequence: named } });
}

function read(end: string, stopSequences: readonly StopSequence[] | null = SEQUENCES): ResponseReading {
  const options = stopSequences === null ? {} : { stopSequences };
  return readStream("anthropic", STARTED + text(0, "So far.") + end + STOPPED, options);
}

function told({ outcome, errorClass, stopSequence, outputItems, items }: ResponseReading) {
  return [outcome.kind, errorClass, stopSequence, outputItems.length, items.map(({ state }) => state)];
}

describe("an output that a stop sequence ended", () => {
  test.each<[string, string, unknown]>([
    ["is whole where the run says so", ended("END"), ["candidate_complete", null, 0, 1, ["ITEM_TERMINAL"]]],
    ["is cut where the run says so", ended("CUT"), ["truncated", null, 1, 0, ["QUARANTINED"]]],
    [
      "is nothing where the run has no such sequence",
      ended("OTHER"),
      ["indeterminate", "STOP_SEQUENCE_UNKNOWN", undefined, 0, ["QUARANTINED"]],
    ],
    [
      "is nothing where the sequence is not named",
      ended(null),
      ["indeterminate", "STOP_SEQUENCE_UNKNOWN", undefined, 0, ["QUARANTINED"]],
    ],
    [
      "is nothing where two sequences are named",
      ended("END") + ended("CUT"),
      ["indeterminate", "STOP_SEQUENCE_UNKNOWN", undefined, 0, ["QUARANTINED"]],
    ],
    [
      "means the same behind another reason",
      ended("CUT", "end_turn"),
      ["truncated", null, 1, 0, ["QUARANTINED"]],
    ],
    [
      "keeps the outcome of a reason that is no normal end",
      ended("END", "max_tokens"),
      ["truncated", null, undefined, 0, ["QUARANTINED"]],
    ],
    [
      "is none where the model ended by itself",
      ended(null, "end_turn"),
      ["candidate_complete", null, undefined, 1, ["ITEM_TERMINAL"]],
    ],
  ])("%s", (_, end, expected) => {
    expect(told(read(end))).toEqual(expected);
  });

  test("is refused by a run without stop sequences, and judged by nobody where the run is not known", () => {
    expect(told(read(ended("END"), [])).slice(0, 2)).toEqual(["indeterminate", "STOP_SEQUENCE_UNKNOWN"]);
    expect(told(read(ended("END"), null)).slice(0, 3)).toEqual(["candidate_complete", null, undefined]);
  });

  test("never unlocks a call", () => {
    const stream = STARTED + call(0, {}, '{"path":"a"}') + ended("END") + STOPPED;
    const reading = readStream("anthropic", stream, { stopSequences: SEQUENCES });
    expect(told(reading).slice(0, 2)).toEqual(["indeterminate", "SIGNAL_CONFLICT"]);
  });

  test("is read from a whole body as from a stream", () => {
    const body = {
      id: "msg_1",
      type: "message",
      content: [{ type: "text", text: "So far." }],
      stop_reason: "stop_sequence",
      stop_sequence: "CUT",
    };
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const options = { ...LIMITS, stopSequences: SEQUENCES };
    expect(told(readBufferedResponse(ADAPTERS.anthropic, { bytes, end: "clean" }, options))).toEqual(
      told(read(ended("CUT"))),
    );
  });

  test.each<[string, unknown, unknown]>([
    ["is whole where the run says so", "END", ["candidate_complete", null, 0, 1, ["ITEM_TERMINAL"]]],
    ["is cut where the run says so", "CUT", ["truncated", null, 1, 0, ["QUARANTINED"]]],
    [
      "is nothing where the run has no such sequence",
      "<|end|>",
      ["indeterminate", "STOP_SEQUENCE_UNKNOWN", undefined, 0, ["QUARANTINED"]],
    ],
    ["ended by itself behind a token", 1, ["candidate_complete", null, undefined, 1, ["ITEM_TERMINAL"]]],
    ["ended by itself without one", null, ["candidate_complete", null, undefined, 1, ["ITEM_TERMINAL"]]],
  ])("and that Chat names as matched_stop %s", (_name, matched, expected) => {
    const stream =
      chunk({ content: "So far." }, { matched_stop: null }) +
      finish("stop", { matched_stop: matched }) +
      DONE;
    expect(told(readStream("chat", stream, { stopSequences: SEQUENCES }))).toEqual(expected);
    const choice = { message: { content: "So far." }, finish_reason: "stop", matched_stop: matched };
    const bytes = new TextEncoder().encode(JSON.stringify({ id: "c", choices: [choice] }));
    const options = { ...LIMITS, stopSequences: SEQUENCES };
    expect(told(readBufferedResponse(ADAPTERS.chat, { bytes, end: "clean" }, options))).toEqual(expected);
  });

  test("lets no call of Chat run, whatever the run means by it", () => {
    const one = calls(fragment({ index: 0, id: "call_1" }, "f", "{}"));
    const stream = one + finish("tool_calls", { matched_stop: "END" }) + DONE;
    expect(told(readStream("chat", stream, { stopSequences: SEQUENCES })).slice(0, 3)).toEqual([
      "indeterminate",
      "SIGNAL_CONFLICT",
      0,
    ]);
  });

  test("names its sequence in the closing event only where the family did", () => {
    const decoder = ADAPTERS.anthropic.createDecoder();
    const data = { type: "message_delta", delta: { stop_reason: "stop_sequence", stop_sequence: "END" } };
    decoder.decode({ event: "message_delta", data: JSON.stringify(data), bare: false });
    expect(decoder.end()).toMatchObject([{ type: "response_finished", stopSequence: "END" }]);
  });
});
