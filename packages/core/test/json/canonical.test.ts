import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { canonicalJson, isJsonObject, parseStrictJson, type JsonValue } from "@airlock/core/json";

describe("the canonical form", () => {
  test.each<[JsonValue, string]>([
    [null, "null"],
    [-0, "0"],
    [1e21, "1e+21"],
    [0.000001, "0.000001"],
    [1e-7, "1e-7"],
    ["\u20ac$\u000f\nA'\"\\/", '"\u20ac$\\u000f\\nA\'\\"\\\\/"'],
    [{ b: [1, { d: true, c: null }], a: "" }, '{"a":"","b":[1,{"c":null,"d":true}]}'],
    // RFC 8785 section 3.2.3: by UTF-16 units, so the emoji's high half sorts before U+FB33.
    [{ "\ufb33": 1, "😀": 2, "\u00f6": 3, "1": 4, "\r": 5 }, '{"\\r":5,"1":4,"ö":3,"😀":2,"\ufb33":1}'],
  ])("of %j is %s", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, "\ud800", { "\udc00": 1 }])(
    "does not exist for %j",
    (value) => {
      expect(() => canonicalJson(value)).toThrow(TypeError);
    },
  );

  test("does not depend on the order of keys, and reads back as the same value", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const parsed = parseStrictJson(JSON.stringify(value), {
          maxBytes: 1e6,
          maxDepth: 64,
          topLevel: "object",
        });
        fc.pre(parsed.ok);
        const parsedObject = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
        const reversed = Object.fromEntries(Object.entries(parsedObject).toReversed());
        const text = canonicalJson(parsedObject);
        expect(canonicalJson(reversed)).toBe(text);
        expect(parseStrictJson(text, { maxBytes: 1e6, maxDepth: 64, topLevel: "object" })).toEqual(parsed);
      }),
    );
  });
});
