import { expect, test } from "vitest";
import { retryAfterMs, TryAgain, waitBefore } from "../../src/notify/retry.ts";

const NOW = Date.UTC(2026, 0, 1, 12);
const HOUR = 3_600_000;

test.each([
  ["3", 3_000],
  ["0", 0],
  ["9999999999", HOUR],
  ["Thu, 01 Jan 2026 12:00:30 GMT", 30_000],
  ["Thu, 01 Jan 2026 11:00:00 GMT", 0],
  ["Fri, 01 Jan 2027 00:00:00 GMT", HOUR],
  ["Thu, 99 Jan 2026 12:00:30 GMT", null],
  ["-3", null],
  ["1e3", null],
  ["3601", HOUR],
  ["soon", null],
  [undefined, null],
  [["1", "2"], null],
] as const)("Retry-After: %s asks for %s ms", (header, expected) => {
  expect(retryAfterMs(header, NOW)).toBe(expected);
});

test("a wait doubles, is at most half shorter by chance, and never shorter than what was asked for", () => {
  for (const [made, full] of [
    [1, 100],
    [2, 200],
    [5, 1_600],
    [1_000, HOUR],
  ] as const) {
    const own = waitBefore(made, 100, new Error("other"));
    expect(own).toBeGreaterThanOrEqual(full / 2);
    expect(own).toBeLessThanOrEqual(full);
  }
  expect(waitBefore(1, 100, new TryAgain("answered 429", 5_000))).toBe(5_000);
  expect(waitBefore(1, 100, new TryAgain("answered 429", null))).toBeLessThanOrEqual(100);
});
