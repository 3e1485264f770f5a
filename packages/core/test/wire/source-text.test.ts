import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sourceTexts } from "../../src/wire/source-text.ts";

describe("the source text of a member", () => {
  test.each([
    ['{"args":{"a":1, "a":2}}', { args: '{"a":1, "a":2}' }],
    ['{"x":[{"args": [1,2] },{"args":"a\\"}"}]}', { "x.0.args": "[1,2]", "x.1.args": '"a\\"}"' }],
    ['{"args":1e400,"b":{"args":null}}', { args: "1e400", "b.args": "null" }],
    ['{"args":{"args":1}}', { args: '{"args":1}' }],
    ['{"args":1,"args":{"b":"}"}}', { args: '{"b":"}"}' }],
    ['{"\\u0061rgs":true}', { args: "true" }],
    [' [ [ ] , {"a" : "args" , "args" : { } } ] ', { "1.args": "{ }" }],
    ['["args",1]', {}],
    ['"args"', {}],
  ])("in %s", (text, expected) => {
    expect(Object.fromEntries(sourceTexts(text, "args"))).toEqual(expected);
  });

  test("is what was parsed, in any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.boolean(), (args, other, pretty) => {
        const text = JSON.stringify(
          { args: other, list: [other, { args }], args2: args },
          null,
          pretty ? 2 : 0,
        );
        const found = sourceTexts(text, "args");
        expect(JSON.parse(found.get("list.1.args") ?? "")).toEqual(JSON.parse(JSON.stringify(args)));
        expect(JSON.parse(found.get("args") ?? "")).toEqual(JSON.parse(JSON.stringify(other)));
      }),
    );
  });
});
