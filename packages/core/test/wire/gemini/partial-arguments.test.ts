import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "@airlock/core/json";
import { readStream, released } from "../readings.ts";
import {
  CLOSER,
  fragment,
  OPENER,
  parts,
  piece,
  STOP,
} from "../../../../../scripts/conformance/gemini/frames.ts";

/** The arguments that these fragments make, each in a chunk of its own; null where they make none. */
function assemble(...fragments: readonly object[]): string | null {
  const stream = parts(OPENER) + fragments.map((one) => parts(fragment(one))).join("") + parts(CLOSER) + STOP;
  return released(readStream("gemini", stream))[0]?.[1] ?? null;
}

/** Every leaf of a value as a provider streams it: texts in two pieces, the rest whole. */
function fragmentsOf(value: JsonValue, path: string): readonly object[] {
  if (typeof value === "string") {
    const cut = Math.floor(value.length / 2);
    return [piece(path, value.slice(0, cut), true), piece(path, value.slice(cut))];
  }
  if (typeof value === "number") return [{ jsonPath: path, numberValue: value }];
  if (typeof value === "boolean") return [{ jsonPath: path, boolValue: value }];
  if (value === null) return [{ jsonPath: path, nullValue: "NULL_VALUE" }];
  return Object.entries(value).flatMap(([key, member]) =>
    fragmentsOf(member, Array.isArray(value) ? `${path}[${key}]` : `${path}[${quote(key)}]`),
  );
}

function quote(key: string): string {
  return `'${key.replaceAll(/['"\\]/g, "\\$&")}'`;
}

describe("partial arguments", () => {
  test("are put together again, whatever they hold", () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const name = fc.string({ minLength: 1 }).filter((key) => key !== "__proto__");
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie("value"), { minLength: 1, maxLength: 3 }),
        fc.dictionary(name, tie("value"), { minKeys: 1, maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 4 }), (args) => {
        const text = assemble(...fragmentsOf(args, "$"));
        expect(JSON.parse(text ?? "null")).toEqual(JSON.parse(JSON.stringify(args)));
      }),
    );
  });

  test.each<readonly [name: string, fragments: readonly object[], args: string]>([
    ["plain names", [piece("$.a.b", "x")], '{"a":{"b":"x"}}'],
    ["quoted names", [piece("$['a.b'][\"c'd\"]", "x")], '{"a.b":{"c\'d":"x"}}'],
    [
      "an array, member by member",
      [piece("$.a[0].b", "x"), piece("$.a[1].b", "y")],
      '{"a":[{"b":"x"},{"b":"y"}]}',
    ],
    [
      "texts that take turns",
      [piece("$.a", "1", true), piece("$.b", "2", true), piece("$.a", "3"), piece("$.b", "4")],
      '{"a":"13","b":"24"}',
    ],
    ["a character in two halves", [piece("$.a", "\ud83d", true), piece("$.a", "\ude00")], '{"a":"😀"}'],
    ["no more than an empty text", [piece("$.a", "")], '{"a":""}'],
    [
      "false and zero",
      [
        { jsonPath: "$.a", boolValue: false },
        { jsonPath: "$.b", numberValue: 0 },
      ],
      '{"a":false,"b":0}',
    ],
    [
      "names of a prototype as their own, for the strict parser to refuse",
      [piece("$.__proto__.path", "x"), piece("$.constructor", "y")],
      '{"__proto__":{"path":"x"},"constructor":"y"}',
    ],
  ])("take %s", (...[_name, fragments, args]) => {
    expect(assemble(...fragments)).toBe(args);
    expect(({} as { path?: string }).path).toBe(undefined);
  });

  test.each<readonly [name: string, fragments: readonly object[]]>([
    ["a value twice", [piece("$.a", "x"), piece("$.a", "x")]],
    ["a text continued after its end", [piece("$.a", "x", true), piece("$.a", "y"), piece("$.a", "z")]],
    ["a number where a text continues", [piece("$.a", "x", true), { jsonPath: "$.a", numberValue: 1 }]],
    ["a member of a text", [piece("$.a", "x"), piece("$.a.b", "y")]],
    ["a text where members are", [piece("$.a.b", "x"), piece("$.a", "y")]],
    ["an index into an object", [piece("$.a.b", "x"), piece("$.a[0]", "y")]],
    ["a name in an array", [piece("$.a[0]", "x"), piece("$.a.b", "y")]],
    ["a hole in an array", [piece("$.a[1]", "x")]],
    ["an index that would take the memory", [piece("$.a[999999999]", "x")]],
    ["the root itself", [piece("$", "x")]],
    ["an array for the root", [piece("$[0]", "x")]],
    ["no path", [{ stringValue: "x" }]],
    ["a path that is none", [piece("a", "x")]],
    ["a path with a wildcard", [piece("$.a[*]", "x")]],
    ["a path with a name for all", [piece("$.*", "x")]],
    ["a path that leaves out a step", [piece("$..a", "x")]],
    ["a path that goes too deep", [piece(`$${".a".repeat(65)}`, "x")]],
    ["no value", [{ jsonPath: "$.a" }]],
    ["two values", [{ jsonPath: "$.a", stringValue: "x", numberValue: 1 }]],
    ["a number that is to be continued", [{ jsonPath: "$.a", numberValue: 1, willContinue: true }]],
  ])("refuse %s", (_name, fragments) => {
    expect(assemble(...fragments)).toBe(null);
  });

  test("of many pieces are joined once", () => {
    const pieces = Array.from({ length: 20_000 }, () => fragment(piece("$.a", "x".repeat(40), true)));
    const stream = parts(OPENER, ...pieces, fragment(piece("$.a", ""))) + parts(CLOSER) + STOP;
    expect(released(readStream("gemini", stream))[0]?.[1]).toHaveLength(800_000 + '{"a":""}'.length);
  });
});
