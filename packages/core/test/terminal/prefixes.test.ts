import { describe, expect, test } from "vitest";
import type { ResponseReading } from "@airlock/core/terminal";
import { recordings } from "./corpus.ts";
import {
  CREATED,
  argumentsDone,
  delta,
  done,
  added,
  ended,
  executable,
  functionCall,
  read,
} from "./streams.ts";

const encoder = new TextEncoder();
const ITEM = functionCall({ arguments: '{"path":"ä.txt"}' });
const HAND_MADE = [
  CREATED,
  added(0, functionCall({ arguments: "" })),
  delta(0, '{"path":'),
  delta(0, '"ä.txt"}'),
  argumentsDone(0, '{"path":"ä.txt"}'),
  done(0, ITEM),
  ended("completed", { output: [ITEM], usage: { input_tokens: 5, output_tokens: 7 } }),
].join("");

function isRefused(reading: ResponseReading): boolean {
  return !executable(reading) && reading.outcome.kind === "indeterminate" && reading.outputItems.length === 0;
}

/** The first byte after the closing event's data. */
function wholeAt(stream: Uint8Array): number {
  const text = new TextDecoder().decode(stream);
  const start = text.search(/^event: response\.(completed|failed|incomplete)$/m);
  const line = text.indexOf("\ndata:", start) + 1;
  return encoder.encode(text.slice(0, text.indexOf("\n", line))).length;
}

const streams = [
  { name: "a call made by hand", stream: encoder.encode(HAND_MADE) },
  ...recordings("responses").flatMap(({ name, streams }) =>
    streams.map((stream, index) => ({ name: `${name}, response ${index + 1}`, stream })),
  ),
];

describe("a stream that is cut before the data of its closing event is whole", () => {
  test.each(streams)("$name gives nothing to execute and no normal end", ({ stream }) => {
    const limit = wholeAt(stream);
    // Every byte near the end, where it is tempting, and a sample of all the others.
    const step = Math.max(1, Math.floor(limit / 150));
    const cuts: number[] = [];
    for (let at = 0; at < limit; at += limit - at > 60 ? step : 1) cuts.push(at);
    expect(cuts.filter((at) => !isRefused(read(stream.subarray(0, at))))).toEqual([]);
    expect(read(stream.subarray(0, limit)).transport.end).toBe("closed_by_marker");
  });

  test("would have had a call to execute", () => {
    expect(executable(read(HAND_MADE))).toBe(true);
  });
});
