import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ANY_ERRORS } from "../wire/error-shapes.ts";
import { conclude, split } from "./conclusions.ts";
import { recordings } from "./corpus.ts";
import { frame, read, readPieces } from "./streams.ts";

const RECORDINGS = recordings("responses");
const SMALL_BYTES = 8 * 1024;

// A machine without the recordings sees this title among the skipped tests.
describe.skipIf(RECORDINGS.length === 0)("every recorded Responses stream (needs AIRLOCK_SHARED)", () => {
  test("is there", () => {
    expect(RECORDINGS.length).toBeGreaterThanOrEqual(24);
  });

  test.each(RECORDINGS)("$name reads as expected", ({ streams, expected }) => {
    const { raw, outcome, responseId, calls, providerExecuted } = expected;
    expect(conclude(streams.map((stream) => read(stream)))).toEqual({
      raw,
      outcome,
      responseId,
      calls,
      providerExecuted,
    });
  });

  test.each(RECORDINGS)("$name reads the same however its bytes are split", ({ streams }) => {
    for (const stream of streams) {
      const whole = read(stream);
      const cut = fc.integer({ min: 0, max: stream.length });
      fc.assert(
        fc.property(fc.array(cut, { maxLength: 40 }), (cuts) => {
          expect(readPieces(split(stream, cuts))).toEqual(whole);
        }),
        { numRuns: 10 },
      );
    }
  });

  const small = RECORDINGS.filter(({ streams }) => streams.every((stream) => stream.length <= SMALL_BYTES));

  test.each(small)("$name reads the same byte by byte, and split in two at every byte", ({ streams }) => {
    for (const stream of streams) {
      const whole = JSON.stringify(read(stream));
      const bytes = Array.from(stream, (byte) => Uint8Array.of(byte));
      expect(JSON.stringify(readPieces(bytes))).toBe(whole);
      const cuts = Array.from({ length: stream.length + 1 }, (_, at) => at);
      expect(cuts.filter((at) => JSON.stringify(readPieces(split(stream, [at]))) !== whole)).toEqual([]);
    }
  });

  test.each(RECORDINGS)(
    "$name is not changed by a comment or an unknown event, wherever it stands",
    ({ streams }) => {
      for (const stream of streams) {
        const whole = conclude([read(stream)]);
        const frames = new TextDecoder().decode(stream).split(/(?<=\n\n)/);
        const inserted = fc.constantFrom(
          ": ping\n\n",
          ":\n",
          frame("response.something_new", { a: 1 }),
          "data:\n\n",
        );
        fc.assert(
          fc.property(fc.nat(frames.length - 1), inserted, (at, noise) => {
            expect(conclude([read(frames.toSpliced(at, 0, noise).join(""))])).toEqual(whole);
          }),
          { numRuns: 15 },
        );
      }
    },
  );

  test.each(RECORDINGS)("$name becomes indeterminate by an error frame before its end", ({ streams }) => {
    for (const stream of streams) {
      const frames = new TextDecoder().decode(stream).split(/(?<=\n\n)/);
      const last = frames.findIndex((text) => /^event: response\.(completed|failed|incomplete)$/m.test(text));
      const errors = fc.constantFrom(
        frame("error", { code: "server_error", message: "over" }),
        frame("response.error", { code: "server_error", message: "over" }),
        ...ANY_ERRORS,
      );
      fc.assert(
        fc.property(fc.nat(last), errors, (at, error) => {
          const reading = read(frames.toSpliced(at, 0, error).join(""));
          expect(reading.outcome).toEqual({ kind: "indeterminate", action: null });
          expect(reading.items.filter((item) => item.state !== "QUARANTINED")).toEqual([]);
        }),
        { numRuns: 15 },
      );
    }
  });
});
