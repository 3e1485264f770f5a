import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { parseStrictJson, type StrictJsonLimits } from "@airlock/core/json";

const ANY: StrictJsonLimits = { maxBytes: 1_000_000, maxDepth: 64, topLevel: "any" };
const OBJECT: StrictJsonLimits = { ...ANY, topLevel: "object" };

const refusals: readonly (readonly [text: string, errorClass: string, offset: number])[] = [
  ["", "JSON_EMPTY", 0],
  [" \t\r\n", "JSON_EMPTY", 0],
  ["\u00a0", "JSON_SYNTAX", 0],
  ["\ufeff{}", "JSON_SYNTAX", 0],
  ["{", "JSON_TRUNCATED", 1],
  ['{"a"', "JSON_TRUNCATED", 4],
  ['{"a":', "JSON_TRUNCATED", 5],
  ['{"a":1', "JSON_TRUNCATED", 6],
  ['{"a":1,', "JSON_TRUNCATED", 7],
  ["[1,", "JSON_TRUNCATED", 3],
  ["tru", "JSON_TRUNCATED", 3],
  ["-", "JSON_TRUNCATED", 1],
  ["[1.", "JSON_TRUNCATED", 3],
  ["[1e+", "JSON_TRUNCATED", 4],
  ['"ab', "JSON_TRUNCATED", 3],
  ['"ab\\', "JSON_TRUNCATED", 4],
  ['"\\u00', "JSON_TRUNCATED", 5],
  ['"\\ud83d', "JSON_TRUNCATED", 7],
  ['"\\ud83d\\u', "JSON_TRUNCATED", 9],
  ["trux", "JSON_SYNTAX", 3],
  ["{a:1}", "JSON_SYNTAX", 1],
  ["{'a':1}", "JSON_SYNTAX", 1],
  ['{"a":1,}', "JSON_SYNTAX", 7],
  ["[1,]", "JSON_SYNTAX", 3],
  ["[01]", "JSON_SYNTAX", 2],
  ["[+1]", "JSON_SYNTAX", 1],
  ["[.5]", "JSON_SYNTAX", 1],
  ["[NaN]", "JSON_SYNTAX", 1],
  ["```json\n{}\n```", "JSON_SYNTAX", 0],
  ["{}{}", "JSON_TRAILING_DATA", 2],
  ["{} x", "JSON_TRAILING_DATA", 3],
  ["{}\u0000", "JSON_TRAILING_DATA", 2],
  ['{"a":1,"a":2}', "JSON_DUPLICATE_KEY", 7],
  ['{"a":1,"\\u0061":2}', "JSON_DUPLICATE_KEY", 7],
  ['{"a":{"__proto__":{}}}', "JSON_FORBIDDEN_KEY", 6],
  ['{"\\u005f_proto__":1}', "JSON_FORBIDDEN_KEY", 1],
  ['["\\x"]', "JSON_BAD_ESCAPE", 2],
  ['["\\u00g0"]', "JSON_BAD_ESCAPE", 2],
  ['["\\u00"]', "JSON_BAD_ESCAPE", 2],
  ['["a\nb"]', "JSON_CONTROL_CHARACTER", 3],
  ['["\\ud83d"]', "JSON_LONE_SURROGATE", 2],
  ['["\\ud83d\\ud83d"]', "JSON_LONE_SURROGATE", 2],
  ['["\\ude00"]', "JSON_LONE_SURROGATE", 2],
  ['["\ud83d"]', "JSON_LONE_SURROGATE", 2],
  ['["\ude00"]', "JSON_LONE_SURROGATE", 2],
  ['["\\ud83d\ude00"]', "JSON_LONE_SURROGATE", 2],
  ["[9007199254740992]", "JSON_NUMBER_UNSAFE", 1],
  ["[-9007199254740993]", "JSON_NUMBER_UNSAFE", 1],
  ["[1e400]", "JSON_NUMBER_NOT_FINITE", 1],
  ["[-1e400]", "JSON_NUMBER_NOT_FINITE", 1],
  ["[1e99999999999999999999]", "JSON_NUMBER_NOT_FINITE", 1],
  ['["😀é",01]', "JSON_SYNTAX", 8],
  ["[1e16]", "JSON_NUMBER_UNSAFE", 1],
  ["[1e-400]", "JSON_NUMBER_UNSAFE", 1],
];

describe("the strict parser", () => {
  test.each(refusals)("refuses %j as %s at %i", (text, errorClass, offset) => {
    expect(parseStrictJson(text, ANY)).toEqual({ ok: false, errorClass, offset });
  });

  test.each(["[]", '"text"', "1", " null"])("refuses %j where an object is expected", (text) => {
    const offset = text.startsWith(" ") ? 1 : 0;
    expect(parseStrictJson(text, OBJECT)).toEqual({ ok: false, errorClass: "JSON_TOP_LEVEL", offset });
  });

  test.each([
    ["{}", {}],
    [' {"a" : [1, -0.5e2, true, null]}\n', { a: [1, -50, true, null] }],
    ['{"a":"\\ud83d\\ude00 \\"\\\\\\/\\b\\f\\n\\r\\t\\u0000"}', { a: '😀 "\\/\b\f\n\r\t\u0000' }],
    ['{"constructor":1,"toString":2}', { constructor: 1, toString: 2 }],
    ['{"n":9007199254740991}', { n: Number.MAX_SAFE_INTEGER }],
    ['{"n":0e-400}', { n: 0 }],
    ['{"n":-0,"m":-0.0e5}', { n: -0, m: -0 }],
    ['{"n":1e-300,"m":0e99999}', { n: 1e-300, m: 0 }],
    ['{"s":"\u007f\u2028"}', { s: "\u007f\u2028" }],
  ])("accepts %j", (text, value) => {
    expect(parseStrictJson(text, OBJECT)).toEqual({ ok: true, value });
  });

  test("gives objects that inherit nothing", () => {
    const parsed = parseStrictJson('{"a":{}}', OBJECT);
    expect(parsed.ok && Object.getPrototypeOf(parsed.value)).toBe(null);
  });

  test("counts depth in brackets and size in UTF-8 bytes", () => {
    const limits: StrictJsonLimits = { maxBytes: 8, maxDepth: 2, topLevel: "any" };
    expect(parseStrictJson("[[1]]", limits).ok).toBe(true);
    expect(parseStrictJson("[[[1]]]", limits)).toEqual({ ok: false, errorClass: "JSON_TOO_DEEP", offset: 2 });
    expect(parseStrictJson('"ééé"', limits).ok).toBe(true);
    expect(parseStrictJson('"ééé!"', limits)).toEqual({ ok: false, errorClass: "JSON_TOO_LARGE", offset: 0 });
  });

  test("bounds its own stack whatever depth the caller asks for", () => {
    const text = "[".repeat(100_000);
    expect(parseStrictJson(text, { ...ANY, maxDepth: 1_000_000 })).toEqual({
      ok: false,
      errorClass: "JSON_TOO_DEEP",
      offset: 512,
    });
  });

  test("agrees with JSON.parse wherever both accept", () => {
    const texts = fc.oneof(
      fc.json(),
      fc.string(),
      fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\u0019eE+-. tnalsd8c')) }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const strict = parseStrictJson(text, ANY);
        expect(strict.ok ? [strict.value] : []).toEqual(strict.ok ? [JSON.parse(text)] : []);
      }),
      { numRuns: 2_000 },
    );
  });

  test("refuses what JSON.parse accepts only for a reason of its own", () => {
    const DELIBERATE = [
      "JSON_DUPLICATE_KEY",
      "JSON_FORBIDDEN_KEY",
      "JSON_LONE_SURROGATE",
      "JSON_NUMBER_NOT_FINITE",
      "JSON_NUMBER_UNSAFE",
      "JSON_TOO_DEEP",
    ];
    const number = fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,3})?([eE][+-]?\d{1,4})?$/);
    const string = fc.string({ unit: "binary" }).map((text) => JSON.stringify(text));
    const key = fc.oneof(fc.constantFrom('"a"', '"b"', '"__proto__"', '"constructor"'), string);
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.oneof(number, string, fc.constantFrom("null", "true", "false")),
        fc.array(tie("value")).map((items) => `[${items.join(",")}]`),
        fc
          .array(fc.tuple(key, tie("value")))
          .map((members) => `{${members.map((pair) => pair.join(":")).join(",")}}`),
      ),
    }));
    fc.assert(
      fc.property(value, (text) => {
        JSON.parse(text);
        const strict = parseStrictJson(text, ANY);
        expect([...DELIBERATE, "accepted"]).toContain(strict.ok ? "accepted" : strict.errorClass);
      }),
    );
  });

  test.each([
    ["open brackets", "[".repeat(1_000_000)],
    ["open objects", '{"a":'.repeat(200_000)],
    ["cut escapes", `"${"\\u".repeat(500_000)}`],
    ["escaped halves", `"${"\\ud83d\\ude00".repeat(80_000)}`],
    ["backslashes", `"${"\\".repeat(999_999)}`],
    ["escaped quotes", `"${'\\"'.repeat(499_999)}`],
    ["digits", "1".repeat(1_000_000)],
    ["digits of an exponent", `1e${"1".repeat(999_998)}`],
    ["blanks", " ".repeat(1_000_000)],
    ["keys", `{${Array.from({ length: 80_000 }, (_, at) => `"k${at}":1`).join(",")}}`],
    ["short strings", `[${'"a",'.repeat(249_999)}"a"]`],
    ["long strings", `[${`"${"a\\u0041".repeat(50)}",`.repeat(2_400)}1]`],
  ])("takes linear time over a megabyte of %s", (_, text) => {
    const started = performance.now();
    parseStrictJson(text, { ...ANY, maxBytes: 2_000_000 });
    // A few milliseconds each; a quadratic reading would take minutes.
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test("calls every proper prefix of an object's text truncated", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, seed) => {
        const text = JSON.stringify(value);
        fc.pre(parseStrictJson(text, OBJECT).ok);
        const cut = parseStrictJson(text.slice(0, 1 + (seed % (text.length - 1))), OBJECT);
        expect(cut.ok ? "accepted" : cut.errorClass).toBe("JSON_TRUNCATED");
      }),
    );
  });
});
