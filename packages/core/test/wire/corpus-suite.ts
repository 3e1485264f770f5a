import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createResponseReader } from "@airlock/core/terminal";
import { ADAPTERS, type Family } from "@airlock/core/wire";
import { conclude, split } from "../terminal/conclusions.ts";
import { recordings, type Expected } from "../terminal/corpus.ts";
import { ANY_ERRORS } from "./error-shapes.ts";
import { LIMITS, readPieces, readStream, released } from "./readings.ts";

export interface CorpusSuite {
  readonly family: Family;
  readonly atLeast: number;
  /** What may stand anywhere between two frames without changing anything. */
  readonly noise: readonly string[];
  readonly errors: readonly string[];
  /** The frame that an error frame must precede; null where it may stand before the end of the bytes. */
  readonly closing: string | null;
  /** The frame before whose end no prefix may have anything to execute. */
  readonly finishing: RegExp;
}

const SMALL_BYTES = 8 * 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What must hold for every recorded stream of a family. */
export function describeCorpus(suite: CorpusSuite): void {
  const { family } = suite;
  const files = recordings(family).flatMap(({ name, expected, streams: [stream = new Uint8Array()] }) => ({
    name,
    expected,
    stream,
  }));

  // A machine without the recordings sees this title among the skipped tests.
  describe.skipIf(files.length === 0)(`every recorded ${family} stream (needs AIRLOCK_SHARED)`, () => {
    test("is there", () => {
      expect(files.length).toBeGreaterThanOrEqual(suite.atLeast);
    });

    test.each(files)("$name reads as expected", ({ stream, expected }) => {
      expect(conclude([readStream(family, stream)])).toEqual(comparable(expected));
    });

    test.each(files)("$name reads the same however its bytes are split", ({ stream }) => {
      const whole = JSON.stringify(readStream(family, stream));
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 0, max: stream.length }), { maxLength: 40 }), (cuts) => {
          expect(JSON.stringify(readPieces(family, split(stream, cuts)))).toBe(whole);
        }),
        { numRuns: 10 },
      );
    });

    const small = files.filter(({ stream }) => stream.length <= SMALL_BYTES);

    test.each(small)("$name reads the same byte by byte, and split in two at every byte", ({ stream }) => {
      const whole = JSON.stringify(readStream(family, stream));
      const bytes = Array.from(stream, (byte) => Uint8Array.of(byte));
      expect(JSON.stringify(readPieces(family, bytes))).toBe(whole);
      const cuts = Array.from({ length: stream.length + 1 }, (_, at) => at);
      const differing = cuts.filter(
        (at) => JSON.stringify(readPieces(family, split(stream, [at]))) !== whole,
      );
      expect(differing).toEqual([]);
    });

    test.each(files)("$name is not changed by comments and unknown events", ({ stream }) => {
      const whole = conclude([readStream(family, stream)]);
      const frames = framesOf(stream);
      fc.assert(
        fc.property(fc.nat(frames.length - 1), fc.constantFrom(...suite.noise), (at, noise) => {
          expect(conclude([readStream(family, frames.toSpliced(at, 0, noise).join(""))])).toEqual(whole);
        }),
        { numRuns: 15 },
      );
    });

    test.each(files)("$name becomes indeterminate by an error frame before its end", ({ stream }) => {
      const frames = framesOf(stream);
      const { closing } = suite;
      const last = closing === null ? frames.length : frames.findIndex((text) => text.includes(closing));
      fc.assert(
        fc.property(fc.nat(last), fc.constantFrom(...suite.errors, ...ANY_ERRORS), (at, error) => {
          const reading = readStream(family, frames.toSpliced(at, 0, error).join(""));
          expect(reading.outcome).toEqual({ kind: "indeterminate", action: null });
          expect(reading.items.filter((item) => item.state !== "QUARANTINED")).toEqual([]);
        }),
        { numRuns: 15 },
      );
    });

    test.each(files)("$name gives nothing to execute before its finishing frame is whole", ({ stream }) => {
      const limit = wholeAt(stream, suite.finishing);
      const step = Math.max(1, Math.floor(limit / 150));
      const cuts: number[] = [];
      for (let at = 0; at < limit; at += limit - at > 60 ? step : 1) cuts.push(at);
      const early = cuts.filter((at) => {
        const reading = readStream(family, stream.subarray(0, at));
        return reading.outcome.kind !== "indeterminate" || reading.outputItems.length > 0;
      });
      expect(early).toEqual([]);
      const calls = released(readStream(family, stream));
      expect(released(readStream(family, stream.subarray(0, limit)))).toEqual(calls);
    });

    test("two streams that are read in turns never mix", () => {
      const pick = fc.constantFrom(...files);
      fc.assert(
        fc.property(pick, pick, fc.integer({ min: 1, max: 700 }), (left, right, size) => {
          const pair = [left, right].map(({ stream }) => ({
            pieces: split(
              stream,
              Array.from({ length: Math.floor(stream.length / size) }, (_, at) => at * size),
            ),
            reader: createResponseReader(ADAPTERS[family], LIMITS),
          }));
          const turns = Math.max(...pair.map(({ pieces }) => pieces.length));
          for (let turn = 0; turn < turns; turn += 1) {
            for (const { pieces, reader } of pair) reader.push(pieces[turn] ?? new Uint8Array());
          }
          const readings = pair.map(({ reader }) => reader.end("clean"));
          expect(readings).toEqual([left, right].map(({ stream }) => readStream(family, stream)));
        }),
        { numRuns: 10 },
      );
    });

    test("whatever is lost, repeated, moved or damaged, it is read to an end", () => {
      const small = files.filter(({ stream }) => stream.length <= 4 * SMALL_BYTES);
      fc.assert(
        fc.property(
          fc.constantFrom(...small),
          fc.array(MUTATION, { minLength: 1, maxLength: 4 }),
          (file, all) => {
            const frames = all.reduce((kept, mutation) => mutate(kept, mutation), framesOf(file.stream));
            const reading = readStream(family, frames.join(""));
            const executable = reading.items.filter(({ state }) => state === "ITEM_TERMINAL");
            if (reading.outcome.kind === "indeterminate")
              expect([reading.outputItems, executable]).toEqual([[], []]);
            expect(reading.errorClass === null).toBe(reading.outcome.kind !== "indeterminate");
          },
        ),
        { numRuns: 300 },
      );
    });

    const { closing } = suite;
    const marked = closing === null ? [] : files;
    test.each(marked)(
      "$name gives nothing before its closing marker where the route requires it",
      ({ stream }) => {
        const text = decoder.decode(stream);
        const marker = text.indexOf("\ndata:", text.lastIndexOf(closing ?? "")) + 1;
        const limit = encoder.encode(text.slice(0, text.indexOf("\n", marker))).length;
        const cuts = Array.from({ length: Math.min(limit, 200) }, (_, back) => limit - 1 - back);
        const early = cuts.filter((at) => {
          const reading = readStream(family, stream.subarray(0, at), { closingMarker: "required" });
          return reading.outcome.kind !== "indeterminate";
        });
        expect(early).toEqual([]);
        const whole = readStream(family, stream.subarray(0, limit), { closingMarker: "required" });
        expect(whole.transport.end).toBe("closed_by_marker");
      },
    );
  });
}

interface Mutation {
  readonly kind: "drop" | "repeat" | "move" | "damage";
  readonly at: number;
  readonly to: number;
  readonly by: string;
}

const MUTATION: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom("drop", "repeat", "move", "damage"),
  at: fc.nat(10_000),
  to: fc.nat(10_000),
  by: fc.constantFrom("", "}", '"', "null", "{}", "[", "\\u0000", "__proto__", "\n\n", "7"),
});

function mutate(frames: readonly string[], { kind, at, to, by }: Mutation): readonly string[] {
  const index = at % Math.max(frames.length, 1);
  const frame = frames[index] ?? "";
  const place = to % (frame.length + 1);
  switch (kind) {
    case "drop":
      return frames.toSpliced(index, 1);
    case "repeat":
      return frames.toSpliced(to % (frames.length + 1), 0, frame);
    case "move":
      return frames.toSpliced(index, 1).toSpliced(to % Math.max(frames.length, 1), 0, frame);
    case "damage":
      return frames.toSpliced(index, 1, frame.slice(0, place) + by + frame.slice(place + 1));
  }
}

function comparable({ raw, outcome, responseId, calls, providerExecuted }: Expected): Expected {
  return { raw, outcome, responseId, calls, providerExecuted };
}

function framesOf(stream: Uint8Array): readonly string[] {
  return decoder.decode(stream).split(/(?<=\n\n)/);
}

/** The first byte after the data of the last frame that matches. */
function wholeAt(stream: Uint8Array, finishing: RegExp): number {
  const text = decoder.decode(stream);
  const start = [...text.matchAll(finishing)].at(-1)?.index ?? -1;
  expect(start).toBeGreaterThanOrEqual(0);
  return encoder.encode(text.slice(0, text.indexOf("\n", start))).length;
}
