import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSseReader, type SseEnd, type SseMessage } from "@airlock/core/wire";

const LIMITS = { maxMessageBytes: 1000, maxStreamBytes: 5000 };
const encoder = new TextEncoder();

interface Read {
  readonly messages: readonly SseMessage[];
  readonly end: SseEnd;
  readonly bytes: number;
}

function read(pieces: readonly Uint8Array[], limits = LIMITS): Read {
  const reader = createSseReader(limits);
  const messages = pieces.flatMap((piece) => [...reader.read(piece)]);
  const last = reader.end();
  return { messages: [...messages, ...last.messages], end: last.end, bytes: reader.bytes };
}

function readText(text: string, limits = LIMITS): Read {
  return read([encoder.encode(text)], limits);
}

function data(text: string, event: string | null = null): SseMessage {
  return { event, data: text, bare: false };
}

function bare(text: string): SseMessage {
  return { event: null, data: text, bare: true };
}

describe("an event stream", () => {
  test.each<[string, string, SseMessage[], SseEnd]>([
    ["nothing", "", [], "clean"],
    ["a message", "event: a\ndata: 1\n\n", [data("1", "a")], "clean"],
    ["C80 CR LF", "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", [data("1", "a"), data("2")], "clean"],
    ["C80 lone CR", "event: a\rdata: 1\r\rdata: 2\r\r", [data("1", "a"), data("2")], "clean"],
    ["C80 no space", "event:a\ndata:1\n\n", [data("1", "a")], "clean"],
    ["C82 several data lines", "data: 1\ndata: 2\n\n", [data("1\n2")], "clean"],
    ["C78 comments", ": a\n:\n\ndata: 1\n: b\n\n:c\n\n", [data("1")], "clean"],
    ["an open comment", "data: 1\n\n: ping", [data("1")], "clean"],
    ["C81 one byte order mark", "\uFEFFdata: 1\n\n", [data("1")], "clean"],
    ["two byte order marks", "\uFEFF\uFEFFdata: 1\n\ndata: 2\n\n", [data("2")], "clean"],
    ["letters that look like a mis-read mark", "ï»¿data: 1\n\ndata: 2\n\n", [data("2")], "clean"],
    ["a mark before a comment", "\uFEFF: a\n", [], "clean"],
    ["id and retry", "id: 7\nretry: 10\ndata: 1\n\n", [data("1")], "clean"],
    ["unknown fields", "foo: 1\ndata: 1\n\n", [data("1")], "clean"],
    ["an empty message", "data:\n\n", [data("")], "clean"],
    ["C83 whole JSON without its blank line", 'data: {"a":1}\n', [data('{"a":1}')], "clean"],
    ["C83 whole JSON without its line end", 'event: x\ndata: {"a":1}', [data('{"a":1}', "x")], "clean"],
    ["C83 [DONE] without its line end", "data: [DONE]", [data("[DONE]")], "clean"],
    ["cut JSON", 'data: {"a":', [], "mid_line"],
    ["a number, which more digits could follow", "data: 12", [], "mid_line"],
    ["a cut field name", "da", [], "mid_line"],
    ["a cut message", 'event: x\ndata: {"a":\n', [], "mid_event"],
    ["C84 a bare line of JSON", '{"error":"x"}\ndata: 1\n\n', [bare('{"error":"x"}'), data("1")], "clean"],
    [
      "C84 JSON in several bare lines",
      '{\n  "error": {\n    "code": 503\n  }\n}\n\ndata: 1\n\n',
      [bare('{\n  "error": {\n    "code": 503\n  }\n}'), data("1")],
      "clean",
    ],
    [
      "C84 bare lines that are no JSON",
      '{\n  "error"\n\ndata: 1\n\n',
      [bare('{\n  "error"'), data("1")],
      "clean",
    ],
    ["C84 a bare line that is no JSON", "{error\n\n", [bare("{error")], "clean"],
    ["C84 bare lines that are cut", '{\n  "error": {', [bare('{\n  "error": {')], "mid_line"],
    ["C84 a bare line at the end", '{"error":"x"}', [bare('{"error":"x"}')], "mid_line"],
  ])("with %s", (...[_name, text, messages, end]) => {
    expect(readText(text)).toEqual({ messages, end, bytes: encoder.encode(text).length });
  });

  test("reads the same however its bytes are split", () => {
    const line = fc.constantFrom(
      "data: ä€😀",
      "event: e",
      ": c",
      "",
      "",
      "id: 1",
      "{x",
      "\uFEFFdata: 1",
      'data: {"a":1}',
    );
    const terminator = fc.constantFrom("\n", "\r\n", "\r");
    const stream = fc
      .array(fc.tuple(line, terminator), { maxLength: 12 })
      .map((lines) => encoder.encode(lines.flat().join("")));
    const limits = fc.record({
      maxMessageBytes: fc.integer({ min: 5, max: 60 }),
      maxStreamBytes: fc.integer({ min: 20, max: 200 }),
    });
    fc.assert(
      fc.property(stream, limits, fc.array(fc.nat(200)), (bytes, limits, cuts) => {
        const edges = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].toSorted(
          (a, b) => a - b,
        );
        const pieces = edges.slice(1).map((edge, index) => bytes.subarray(edges[index] ?? 0, edge));
        expect(read(pieces, limits)).toEqual(read([bytes], limits));
      }),
      { numRuns: 500 },
    );
  });
});

describe("messages that stand whole in their piece", () => {
  test("read as they do line by line", () => {
    const block = fc.constantFrom(
      "data: 1\n\n",
      "event: a\ndata: ä\ndata: 2\n\n",
      ": ping\n\n",
      ": ping\ndata: 3\n\n",
      "data: 4\n: ping\n\n",
      '{"a":1}\ndata: 5\n\n',
      "\n",
      "data: 6\n",
      "\uFEFFdata: 7\n\n",
      "data: 8\r\n\r\n",
    );
    const bytes = fc
      .tuple(fc.array(block, { maxLength: 10 }), fc.boolean())
      .map(([blocks, isBroken]) =>
        Uint8Array.from([
          ...encoder.encode(blocks.join("")),
          ...(isBroken ? [...encoder.encode('{"b":1}\ndata: '), 0xff, 0x0a, 0x0a] : []),
        ]),
      );
    const limits = fc.record({
      maxMessageBytes: fc.integer({ min: 5, max: 40 }),
      maxStreamBytes: fc.integer({ min: 20, max: 120 }),
    });
    fc.assert(
      fc.property(bytes, fc.oneof(limits, fc.constant(LIMITS)), (bytes, limits) => {
        expect(read([bytes], limits)).toEqual(
          read(
            Array.from(bytes, (byte) => Uint8Array.of(byte)),
            limits,
          ),
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe("the limits of an event stream", () => {
  const small = { maxMessageBytes: 20, maxStreamBytes: 100 };

  test.each<[string, string, SseMessage[], SseEnd, number]>([
    [
      "a message that fits with its blank line",
      `data: ${"x".repeat(12)}\n\n`,
      [data("x".repeat(12))],
      "clean",
      20,
    ],
    ["a message that is one byte too long", `data: ${"x".repeat(13)}\n\n`, [], "message_overflow", 21],
    ["a line without an end", "data: 1\n\ndata: ".padEnd(60, "x"), [data("1")], "message_overflow", 30],
    ["many lines of one message", "data: 1\n".repeat(5), [], "message_overflow", 21],
    ["many comments", ": ping\n".repeat(14), [], "clean", 98],
    [
      "many messages",
      "data: 1\n\n".repeat(12),
      Array.from({ length: 11 }, () => data("1")),
      "stream_overflow",
      101,
    ],
  ])("%s", (...[_name, text, messages, end, bytes]) => {
    expect(readText(text, small)).toEqual({ messages, end, bytes });
  });

  test("stop the reading at the first byte that is no UTF-8", () => {
    const bytes = Uint8Array.of(
      ...encoder.encode("data: 1\n\n"),
      0xc3,
      0x28,
      ...encoder.encode("\ndata: 2\n\n"),
    );
    expect(read([bytes])).toMatchObject({ messages: [data("1")], end: "bad_utf8" });
  });

  test("leave unread what follows the message at which the caller stops", () => {
    const reader = createSseReader(LIMITS);
    for (const message of reader.read(encoder.encode("data: 1\n\ndata: 2\n\n"))) {
      expect(message).toEqual(data("1"));
      break;
    }
    expect(reader.bytes).toBe(9);
  });
});
