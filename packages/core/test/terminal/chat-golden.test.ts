import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ResponseReading } from "@airlock/core/terminal";
import { recordings } from "./corpus.ts";
import { ANY_ERRORS } from "../wire/error-shapes.ts";
import { DONE, data, readChat, readChatPieces } from "./chat-streams.ts";
import { conclude, split } from "./conclusions.ts";
import { executable } from "./streams.ts";

const RECORDINGS = recordings("chat").flatMap(({ name, expected, streams }) =>
  streams.map((stream) => ({ name, expected, stream, frames: framesOf(stream) })),
);
const SMALL_BYTES = 8 * 1024;

function framesOf(stream: Uint8Array): readonly string[] {
  return new TextDecoder().decode(stream).split(/(?<=\n\n)/);
}

/** The decision, without what only describes the bytes. */
function decision(reading: ResponseReading): object {
  return { ...reading, transport: reading.transport.end };
}

// A machine without the recordings sees this title among the skipped tests.
describe.skipIf(RECORDINGS.length === 0)("every recorded Chat stream (needs AIRLOCK_SHARED)", () => {
  test("is there", () => {
    expect(RECORDINGS.length).toBeGreaterThanOrEqual(13);
  });

  test.each(RECORDINGS)("$name reads as expected", ({ stream, expected }) => {
    const { raw, outcome, responseId, calls, providerExecuted } = expected;
    const wanted = { raw, outcome, responseId, calls, providerExecuted };
    expect(conclude([readChat(stream)])).toEqual(wanted);
    expect(conclude([readChat(stream, { closingMarker: "optional" })])).toEqual(wanted);
  });

  test.each(RECORDINGS)("$name reads the same however its bytes are split", ({ stream }) => {
    const whole = readChat(stream);
    const cut = fc.integer({ min: 0, max: stream.length });
    fc.assert(
      fc.property(fc.array(cut, { maxLength: 40 }), (cuts) => {
        expect(readChatPieces(split(stream, cuts))).toEqual(whole);
      }),
      { numRuns: 10 },
    );
  });

  const small = RECORDINGS.filter(({ stream }) => stream.length <= SMALL_BYTES);

  test.each(small)("$name reads the same byte by byte, and split in two at every byte", ({ stream }) => {
    const whole = JSON.stringify(readChat(stream));
    expect(JSON.stringify(readChatPieces(Array.from(stream, (byte) => Uint8Array.of(byte))))).toBe(whole);
    const cuts = Array.from({ length: stream.length + 1 }, (_, at) => at);
    expect(cuts.filter((at) => JSON.stringify(readChatPieces(split(stream, [at]))) !== whole)).toEqual([]);
  });

  test.each(RECORDINGS)("$name is not changed by comments or unknown frames", ({ stream, frames }) => {
    const whole = decision(readChat(stream));
    const noise = fc.constantFrom(
      ": OPENROUTER PROCESSING\n\n",
      ":\n",
      "data:\n\n",
      data({ type: "ping" }),
      "event: something_new\ndata: {}\n\n",
    );
    fc.assert(
      fc.property(fc.nat(frames.length - 1), noise, (at, inserted) => {
        expect(decision(readChat(frames.toSpliced(at, 0, inserted).join("")))).toEqual(whole);
      }),
      { numRuns: 15 },
    );
  });

  test.each(RECORDINGS)("$name becomes indeterminate by an error frame before [DONE]", ({ frames }) => {
    const last = frames.findIndex((text) => text === DONE);
    const errors = fc.constantFrom(
      data({ error: { message: "over", code: null } }),
      data({ error: "over" }),
      data({ choices: [], error: { code: 429 } }),
      '{"error":{"message":"bad gateway"}}\n',
      ...ANY_ERRORS,
    );
    fc.assert(
      fc.property(fc.nat(last), errors, (at, error) => {
        const reading = readChat(frames.toSpliced(at, 0, error).join(""));
        expect([reading.outcome.kind, reading.errorClass]).toEqual(["indeterminate", "PROVIDER_ERROR"]);
        expect(reading.items.filter((item) => item.state !== "QUARANTINED")).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  test.each(small)("no prefix of $name before the marker's data is whole may end normally", ({ stream }) => {
    const limit = new TextDecoder().decode(stream).indexOf("[DONE]") + "[DONE]".length;
    const cuts = Array.from({ length: limit }, (_, at) => at);
    expect(cuts.filter((at) => readChat(stream.subarray(0, at)).outcome.kind !== "indeterminate")).toEqual(
      [],
    );
    expect(readChat(stream.subarray(0, limit)).transport.end).toBe("closed_by_marker");
  });

  test.each(small)("no prefix of $name before the finishing chunk is whole may run", ({ stream }) => {
    const text = new TextDecoder().decode(stream);
    const finish = text.search(/"finish_reason":\s*"/);
    const limit = new TextEncoder().encode(text.slice(0, text.indexOf("\n", finish))).length;
    const read = (at: number): ResponseReading =>
      readChat(stream.subarray(0, at), { closingMarker: "optional" });
    const cuts = Array.from({ length: limit }, (_, at) => at);
    expect(cuts.filter((at) => executable(read(at)))).toEqual([]);
    expect(cuts.filter((at) => read(at).outcome.kind !== "indeterminate")).toEqual([]);
    expect(read(limit).outcome).toEqual(readChat(stream).outcome);
  });
});
