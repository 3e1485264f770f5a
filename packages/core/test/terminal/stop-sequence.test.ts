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

  test("names its sequence in the closing event only where the family did", () => {
    const decoder = ADAPTERS.anthropic.createDecoder();
    const data = { type: "message_delta", delta: { stop_reason: "stop_sequence", stop_sequence: "END" } };
    decoder.decode({ event: "message_delta", data: JSON.stringify(data), bare: false });
    expect(decoder.end()).toMatchObject([{ type: "response_finished", stopSequence: "END" }]);
  });
});
