import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sourceKey, sourceTexts, type SourcePath } from "../../src/wire/source-text.ts";

describe("the source text of a member", () => {
  test.each([
    ['{"args":{"a":1, "a":2}}', { '["args"]': '{"a":1, "a":2}' }],
    ['{"x":[{"args": [1,2] },{"args":"a\\"}"}]}', { '["x",0,"args"]': "[1,2]", '["x",1,"args"]': '"a\\"}"' }],
    ['{"args":1e400,"b":{"args":null}}', { '["args"]': "1e400", '["b","args"]': "null" }],
    ['{"args":{"args":1}}', { '["args"]': '{"args":1}' }],
    ['{"args":1,"args":{"b":"}"}}', { '["args"]': '{"b":"}"}' }],
    ['{"\\u0061rgs":true}', { '["args"]': "true" }],
    [' [ [ ] , {"a" : "args" , "args" : { } } ] ', { '[1,"args"]': "{ }" }],
    ['["args",1]', {}],
    ['"args"', {}],
    ['{"a":{"args":1},"a.args":{"args":2}}', { '["a","args"]': "1", '["a.args","args"]': "2" }],
    ['{"a":[{"args":1}],"a.0":{"args":2}}', { '["a",0,"args"]': "1", '["a.0","args"]': "2" }],
  ])("in %s", (text, expected) => {
    expect(Object.fromEntries(sourceTexts(text, "args"))).toEqual(expected);
  });

  test("is what JSON.parse gives at its path, whatever members are named", () => {
    const name = fc.oneof(
      fc.constantFrom(
        "args",
        "a",
        "0",
        "a.args",
        "a.0.args",
        "0.args",
        '"a","args"',
        "",
        "__proto__",
        "\\",
        '"',
      ),
      fc.string(),
    );
    const json = fc.letrec<{ readonly value: string; readonly object: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue({ maxDepth: 0 }).map((value) => JSON.stringify(value)),
        tie("object"),
        fc.array(tie("value"), { maxLength: 3 }).map((values) => `[ ${values.join(" , ")}]`),
      ),
      // Written by hand, so that a name may stand twice.
      object: fc
        .array(fc.tuple(name, tie("value")), { maxLength: 5 })
        .map((all) => `{${all.map(([key, value]) => `${JSON.stringify(key)} :${value}`).join(",")} }`),
    }));
    fc.assert(
      fc.property(json.value, (text) => {
        const found = sourceTexts(text, "args");
        for (const { path, value } of valuesOf(JSON.parse(text), [])) {
          const source = found.get(sourceKey(path));
          expect([path, JSON.parse(source ?? "")]).toEqual([path, value]);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

/** Every value under the name, but for those within another one. */
function valuesOf(
  value: unknown,
  path: SourcePath,
): readonly { readonly path: SourcePath; readonly value: unknown }[] {
  if (path.at(-1) === "args") return [{ path, value }];
  if (Array.isArray(value)) return value.flatMap((entry, at) => valuesOf(entry, [...path, at]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => valuesOf(member, [...path, name]));
}
