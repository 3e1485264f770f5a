import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SseMessage } from "@airlock/core/wire";
import { createFrameRepeats, type RepeatedMembers } from "../../src/wire/repeated-frame.ts";

const MEMBERS = { piece: ["delta"], counter: ["sequence_number"], padding: ["obfuscation"] } as const;
const NESTED = { piece: ["delta", "text"] } as const;

function message(data: string, event: string | null = "e"): SseMessage {
  return { event, data, bare: false };
}

function readAfter(lesson: string, data: string, members: RepeatedMembers = MEMBERS): unknown {
  const repeats = createFrameRepeats<string>();
  repeats.learn(message(lesson), members, "meaning");
  return repeats.read(message(data));
}

describe("a frame that repeats the learned one", () => {
  test.each<[string, string, string, RepeatedMembers, string, number | null]>([
    ["brings its piece", '{"a":1,"delta":"x"}', '{"a":1,"delta":"y"}', MEMBERS, "y", null],
    ["may bring none", '{"delta":"x"}', '{"delta":""}', MEMBERS, "", null],
    ["has escapes", '{"delta":"x"}', '{"delta":"\\"\\\\\\n\\u0041"}', MEMBERS, '"\\\nA', null],
    [
      "counts on",
      '{"sequence_number":9,"delta":"x"}',
      '{"sequence_number":10,"delta":"y"}',
      MEMBERS,
      "y",
      10,
    ],
    [
      "is padded",
      '{"delta":"x","obfuscation":"abc","sequence_number":1}',
      '{"delta":"y","obfuscation":"","sequence_number":2}',
      MEMBERS,
      "y",
      2,
    ],
    ["has blanks", '{ "delta" : "x" , "b" : [ ] }', '{ "delta" : "y" , "b" : [ ] }', MEMBERS, "y", null],
    [
      "holds the name of its member in its text",
      '{"delta":"\\"delta\\":\\"x\\"","z":1}',
      '{"delta":"\\",\\"z\\":1}","z":1}',
      MEMBERS,
      '","z":1}',
      null,
    ],
    [
      "has its piece within",
      '{"delta":{"type":"t","text":"x"},"i":0}',
      '{"delta":{"type":"t","text":"y"},"i":0}',
      NESTED,
      "y",
      null,
    ],
  ])("%s", (...[_name, lesson, data, members, piece, counter]) => {
    expect(readAfter(lesson, data, members)).toEqual({ meaning: "meaning", piece, counter });
  });
});

describe("a frame is read in full where", () => {
  test.each<[string, string, string]>([
    ["another member differs", '{"a":1,"delta":"x"}', '{"a":2,"delta":"x"}'],
    ["a member is added", '{"delta":"x"}', '{"delta":"x","error":{}}'],
    ["a member is added before", '{"delta":"x"}', '{"error":1,"delta":"x"}'],
    ["the piece is no text", '{"delta":"x"}', '{"delta":1}'],
    ["the piece is two values", '{"delta":"x"}', '{"delta":"x","delta":"y"}'],
    ["the piece is cut", '{"delta":"x"}', '{"delta":"x}'],
    ["the text is cut", '{"delta":"x"}', '{"delta":"x"'],
    ["an escape is none", '{"delta":"x"}', '{"delta":"\\x"}'],
    ["a control character is raw", '{"delta":"x"}', '{"delta":"\u0001"}'],
    ["the counter is text", '{"delta":"x","sequence_number":1}', '{"delta":"x","sequence_number":"1"}'],
    ["the counter is gone", '{"delta":"x","sequence_number":1}', '{"delta":"x"}'],
    ["something follows", '{"delta":"x"}', '{"delta":"x"}{}'],
    ["the learned member stands twice", '{"delta":"x","delta":"y"}', '{"delta":"x","delta":"z"}'],
    ["its name is escaped", '{"d":{"delta":"x"},"\\u0064elta":"y"}', '{"d":{"delta":"z"},"\\u0064elta":"y"}'],
    [
      "the counter's name is escaped",
      '{"sequence\\u005fnumber":5,"delta":"x"}',
      '{"sequence\\u005fnumber":5,"delta":"y"}',
    ],
    [
      "the counter stands twice",
      '{"sequence_number":5,"sequence_number":5,"delta":"x"}',
      '{"sequence_number":5,"sequence_number":5,"delta":"y"}',
    ],
    [
      "another member has the counter's name",
      '{"sequence_number":5,"x":{"sequence_number":5},"delta":"x"}',
      '{"sequence_number":5,"x":{"sequence_number":5},"delta":"y"}',
    ],
    ["the counter is negative", '{"sequence_number":-5,"delta":"x"}', '{"sequence_number":-5,"delta":"y"}'],
    [
      "the counter is no number",
      '{"sequence_number":null,"delta":"x"}',
      '{"sequence_number":null,"delta":"y"}',
    ],
    ["the learned frame has no piece", '{"b":1}', '{"b":1}'],
  ])("%s", (...[_name, lesson, data]) => {
    expect(readAfter(lesson, data)).toBeNull();
  });

  test("its event is another, or it is no event at all", () => {
    const repeats = createFrameRepeats<string>();
    repeats.learn(message('{"delta":"x"}'), MEMBERS, "meaning");
    expect(repeats.read(message('{"delta":"y"}', "f"))).toBeNull();
    expect(repeats.read({ ...message('{"delta":"y"}'), bare: true })).toBeNull();
  });

  test("lessons did not pay: streams whose frames never repeat are not searched for ever", () => {
    const repeats = createFrameRepeats<number>();
    for (let at = 0; at < 100; at += 1) repeats.learn(message(`{"n":${at},"delta":"x"}`), MEMBERS, at);
    expect(repeats.read(message('{"n":99,"delta":"y"}'))).toBeNull();
  });
});

test("what is read as a repetition is what the platform's parser reads", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom('","b":', '"}', "\\", "delta", '\\"'),
  );
  const frame = fc.record(
    {
      a: fc.jsonValue(),
      delta: fc.oneof({ weight: 5, arbitrary: piece }, { weight: 1, arbitrary: fc.jsonValue() }),
      sequence_number: fc.nat(),
      obfuscation: fc.string(),
    },
    { requiredKeys: [] },
  );
  const broken = fc.tuple(fc.nat(), fc.constantFrom("", '"', "\\", "}", ",", "1", "\n"));
  fc.assert(
    fc.property(frame, frame, fc.boolean(), fc.option(broken), (first, second, keepsRest, damage) => {
      const other = keepsRest ? { ...first, ...pick(second) } : second;
      const whole = JSON.stringify(other);
      const at = damage === null ? 0 : damage[0] % whole.length;
      const data = damage === null ? whole : `${whole.slice(0, at)}${damage[1]}${whole.slice(at + 1)}`;
      const read = readAfter(JSON.stringify(first), data);
      if (read === null) return;
      const expected: unknown = JSON.parse(data);
      const { piece: text, counter } = read as { readonly piece: string; readonly counter: number | null };
      const count = counter === null ? {} : { sequence_number: counter };
      const padding = Object.hasOwn(first, "obfuscation") ? pickPadding(expected) : {};
      expect(expected).toEqual({ ...JSON.parse(JSON.stringify(first)), delta: text, ...count, ...padding });
    }),
    { numRuns: 2_000 },
  );
});

function pick({ delta, sequence_number, obfuscation }: Record<string, unknown>): object {
  return { delta, sequence_number, obfuscation };
}

function pickPadding(frame: unknown): object {
  const { obfuscation } = frame as { readonly obfuscation?: unknown };
  return { obfuscation };
}
