import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseStrictJson } from "@airlock/core/json";

const LIMITS = { maxBytes: 2 ** 20, maxDepth: 8, topLevel: "any" } as const;
const LONG = "x".repeat(300);

describe("a long string is read as a short one is", () => {
  test("with whatever in it", () => {
    const piece = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constantFrom('"', "\\", "\n", "é"));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const value = pieces.join(LONG.slice(0, 60)) + LONG;
        const result = parseStrictJson(JSON.stringify({ [value]: [value] }), LIMITS);
        expect(result).toEqual({ ok: true, value: { [value]: [value] } });
      }),
    );
  });

  test.each([
    ["a raw control character", `"${LONG}\n"`, "JSON_CONTROL_CHARACTER"],
    ["an escape that is none", `"${LONG}\\x"`, "JSON_BAD_ESCAPE"],
    ["half a pair", `"${LONG}\ud800"`, "JSON_LONE_SURROGATE"],
    ["half a pair, escaped", `"${LONG}\\ud800"`, "JSON_LONE_SURROGATE"],
    ["no end", `"${LONG}`, "JSON_TRUNCATED"],
    ["an end that is escaped", `"${LONG}\\"`, "JSON_TRUNCATED"],
    ["more after its end", `"${LONG}\\\\"x"`, "JSON_TRAILING_DATA"],
  ])("and refused with %s", (_, text, errorClass) => {
    expect(parseStrictJson(text, LIMITS)).toMatchObject({ ok: false, errorClass });
  });
});
