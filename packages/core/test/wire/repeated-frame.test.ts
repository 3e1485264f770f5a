import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SseMessage } from "@airlock/core/wire";
import type { RepeatedMembers } from "../../src/wire/frame-template.ts";
import { createFrameRepeats } from "../../src/wire/repeated-frame.ts";
import { findRun, type Blocks } from "../../src/wire/sse-blocks.ts";

const MEMBERS = { piece: ["delta"], counter: ["sequence_number"], padding: ["obfuscation"] } as const;
const NESTED = { piece: ["delta", "text"] } as const;

const COUNTED = '{"delta":"x","sequence_number":1}';

function message(data: string, event: string | null = "e"): SseMessage {
  return { event, data, bare: false };
}

/** What the stream has after these frames is not read. */
const REST = "data: {}\n\n";

function blocks(frames: readonly string[], event: string | null = "e"): Blocks {
  const header = event === null ? "" : `event: ${event}\n`;
  const text = frames.map((data) => `${header}data: ${data}\n\n`).join("");
  const run = findRun(Buffer.from(text + REST), Number.MAX_SAFE_INTEGER);
  if (run === null) throw new Error("no blocks");
  return run;
}

/** How many blocks were read is seen by what is left of them. */
function readAfter(
  lesson: string,
  frames: readonly string[],
  { members = MEMBERS, least = 0 }: { readonly members?: RepeatedMembers; readonly least?: number } = {},
): unknown {
  const repeats = createFrameRepeats<string>();
  repeats.learn(message(lesson), members, "meaning");
  const next = blocks(frames);
  const repetition = repeats.read(next, least);
  const left = next.bytes.slice(next.at).split("\n\n").length - 2;
  expect(left).toBe(frames.length - (repetition?.frames ?? 0));
  return repetition;
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
    expect(readAfter(lesson, [data], { members })).toEqual({ meaning: "meaning", frames: 1, piece, counter });
  });

  test("is read with those that follow it, as far as they do", () => {
    const frames = ["a", 'b\\"', "", "ü€", "c"].map(
      (text, at) => `{"n":1,"delta":"${text}","sequence_number":${at}}`,
    );
    const other = '{"n":2,"delta":"d","sequence_number":5}';
    expect(readAfter(frames[0] ?? "", [...frames, other, ...frames])).toEqual({
      meaning: "meaning",
      frames: 5,
      piece: 'ab"ü€c',
      counter: 4,
    });
  });

  test("is read up to the first counter that is less than one before it", () => {
    const frames = [3, 3, 5, 4].map((count) => `{"delta":"x","sequence_number":${count}}`);
    const repetition = { meaning: "meaning", frames: 3, piece: "xxx", counter: 5 };
    expect(readAfter(frames[0] ?? "", frames, { least: 3 })).toEqual(repetition);
    expect(readAfter(frames[0] ?? "", frames, { least: 4 })).toBeNull();
  });

  test("has letters outside ASCII around its piece too", () => {
    expect(readAfter('{"ä":"€","delta":"x"}', ['{"ä":"€","delta":"ß"}'])).toMatchObject({ piece: "ß" });
    expect(readAfter('{"ä":"€","delta":"x"}', ['{"ä":"é","delta":"ß"}'])).toBeNull();
  });

  test("has no event", () => {
    const repeats = createFrameRepeats<string>();
    repeats.learn(message('{"delta":"x"}', null), MEMBERS, "meaning");
    expect(repeats.read(blocks(['{"delta":"y"}'], null))).toMatchObject({ piece: "y" });
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
    [
      "the counter has more digits than are exact",
      COUNTED,
      '{"delta":"x","sequence_number":9007199254740993}',
    ],
    ["the counter is no plain whole number", COUNTED, '{"delta":"x","sequence_number":1e1}'],
    ["the counter begins with a zero", COUNTED, '{"delta":"x","sequence_number":01}'],
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
    expect(readAfter(lesson, [data])).toBeNull();
  });

  test("its event is another", () => {
    const repeats = createFrameRepeats<string>();
    repeats.learn(message('{"delta":"x"}'), MEMBERS, "meaning");
    expect(repeats.read(blocks(['{"delta":"y"}'], "f"))).toBeNull();
    expect(repeats.read(blocks(['{"delta":"y"}'], null))).toBeNull();
  });

  test("it has several lines, or the learned one had", () => {
    expect(readAfter('{"delta":"x"}', ['{"delta":"\ndata: y"}'])).toBeNull();
    expect(readAfter('{"a":1,\n"delta":"x"}', ['{"a":1,\n"delta":"y"}'])).toBeNull();
  });

  test("the learned one was no field of the stream", () => {
    const repeats = createFrameRepeats<string>();
    repeats.learn({ event: null, data: '{"delta":"x"}', bare: true }, MEMBERS, "meaning");
    expect(repeats.read(blocks(['{"delta":"y"}'], null))).toBeNull();
  });

  test("one of those that follow is no JSON, which only their full reading can tell", () => {
    expect(readAfter('{"delta":"x"}', ['{"delta":"y"}', '{"delta":"\\x"}'])).toBeNull();
    // Joined, they would be one letter.
    expect(readAfter('{"delta":"x"}', ['{"delta":"\\u00"}', '{"delta":"e4"}'])).toBeNull();
    expect(readAfter('{"delta":"x"}', ['{"delta":"\\"}', '{"delta":",\\"y"}'])).toBeNull();
  });

  test("lessons did not pay: streams whose frames never repeat are not searched for ever", () => {
    const repeats = createFrameRepeats<number>();
    for (let at = 0; at < 100; at += 1) repeats.learn(message(`{"n":${at},"delta":"x"}`), MEMBERS, at);
    expect(repeats.read(blocks(['{"n":99,"delta":"y"}']))).toBeNull();
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
      const damaged = damage === null ? whole : `${whole.slice(0, at)}${damage[1]}${whole.slice(at + 1)}`;
      // What comes as bytes has no half of a pair.
      const data = Buffer.from(damaged).toString();
      if (/[\n\r]/.test(data)) return;
      const read = readAfter(JSON.stringify(first), [data]);
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
