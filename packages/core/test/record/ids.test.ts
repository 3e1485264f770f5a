import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  attemptKey,
  isRunId,
  itemKey,
  newRunId,
  parseAttemptKey,
  parseItemKey,
  parseTurnKey,
  responseKey,
  turnKey,
} from "@airlock/core/record";

const RUN = "r0123456789abcdefghjk";
const number = fc.integer({ min: 0, max: 999_999_999 });
const partsOf = fc.record({
  run: fc.constant(null).map(newRunId),
  turn: number,
  attempt: number,
  ordinal: number,
});

describe("names", () => {
  test("read back as the parts that they were made of", () => {
    fc.assert(
      fc.property(partsOf, (parts) => {
        const { run, turn, attempt } = parts;
        expect(parseItemKey(itemKey(parts))).toEqual(parts);
        expect(parseAttemptKey(attemptKey(parts))).toEqual({ run, turn, attempt });
        expect(parseTurnKey(turnKey(parts))).toEqual({ run, turn });
      }),
    );
  });

  test("are job ids that the queue takes: no colon, not a plain number", () => {
    fc.assert(
      fc.property(partsOf, (parts) => {
        for (const name of [turnKey(parts), attemptKey(parts), itemKey(parts), responseKey(parts)]) {
          expect(name).toMatch(/^r[0-9a-z.]+$/);
        }
      }),
    );
  });

  test("are read in one form only: what parses formats to the same text", () => {
    const text = fc.stringMatching(/^r[0-9a-z]{19,21}(\.[0-9 +e-]{0,4}){0,5}$/);
    fc.assert(
      fc.property(text, (candidate) => {
        const parts = parseItemKey(candidate);
        if (parts !== null) expect(itemKey(parts)).toBe(candidate);
      }),
    );
  });

  test.each([
    "",
    ".",
    RUN,
    `${RUN}.1`,
    `${RUN}.1.1`,
    `${RUN}.1.1.`,
    `${RUN}.1.1.1.1`,
    `${RUN}.01.1.1`,
    `${RUN}.1.1.-1`,
    `${RUN}.1.1.1 `,
    `${RUN}.1.1.1\n`,
    `${RUN}.1.1.1e1`,
    `${RUN}.1.1.1234567890`,
    `${RUN}.1.1.end`,
    `${RUN.toUpperCase()}.1.1.1`,
    `${RUN}x.1.1.1`,
    `{${RUN}}.1.1.1`,
  ])("refuse %j as an item's", (text) => {
    expect(parseItemKey(text)).toBeNull();
  });

  test("of runs are new each time", () => {
    const ids = Array.from({ length: 1_000 }, newRunId);
    expect(new Set(ids).size).toBe(1_000);
    expect(ids.every(isRunId)).toBe(true);
  });
});
