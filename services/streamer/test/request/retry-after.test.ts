import { describe, expect, test } from "vitest";
import { retryAfter } from "../../src/request/retry-after.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const LATER = "Mon, 30 Nov 2026 12:00:07 GMT";

describe("when to come back", () => {
  test.each<[string, string | undefined, string | undefined, number | null]>([
    ["seconds", "2", undefined, 2_000],
    ["parts of a second", "0.25", undefined, 250],
    ["more than the cap", "86400", undefined, 600_000],
    ["a date, by the server's clock", LATER, "Mon, 30 Nov 2026 12:00:04 GMT", 3_000],
    ["a date, by ours where the server shows none", LATER, undefined, 7_000],
    ["a date, by ours where the server's is nonsense", LATER, "noon", 7_000],
    ["a date beyond the cap", "Tue, 01 Dec 2026 12:00:00 GMT", undefined, 600_000],
    ["a date that is past", LATER, "Mon, 30 Nov 2026 12:00:08 GMT", null],
    ["no time at all", LATER, LATER, null],
    ["zero", "0", undefined, null],
    ["less than zero", "-1", undefined, null],
    ["a day that no month has", "Mon, 99 Nov 2026 12:00:07 GMT", undefined, null],
    ["a date in no form of HTTP", "2026-11-30T12:00:07Z", undefined, null],
    ["nonsense", "soon", undefined, null],
    ["nothing", undefined, undefined, null],
  ])("%s", (_name, header, date, expected) => {
    expect(retryAfter(header, date, () => NOW)).toBe(expected);
  });
});
