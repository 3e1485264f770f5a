import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createSseReader, type SseMessage } from "@airlock/core/wire";

const LIMITS = { maxMessageBytes: 2 ** 20, maxStreamBytes: 2 ** 20 };

function readAll(pieces: readonly Uint8Array[]): object {
  const reader = createSseReader(LIMITS);
  const messages: SseMessage[] = [];
  for (const piece of pieces) messages.push(...reader.read(piece));
  const { end, messages: last } = reader.end();
  return { end, messages: [...messages, ...last] };
}

test("bytes of any kind are text for the reader exactly where the platform's decoder takes them", () => {
  // Bytes at the edges of what begins, continues or ends a character.
  const byte = fc.constantFrom(
    0x41,
    0x7f,
    0x80,
    0x8f,
    0x9f,
    0xa0,
    0xbf,
    0xc1,
    0xc2,
    0xe0,
    0xe2,
    0xed,
    0xf0,
    0xf4,
    0xf5,
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 8 }), fc.nat(20), (bytes, cut) => {
      const stream = Uint8Array.from([...Buffer.from("data: "), ...bytes, 0x0a, 0x0a]);
      let text: string | null = null;
      try {
        text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
      } catch {
        // Not UTF-8: so says the platform, and so has the reader to say.
      }
      const message = { event: null, data: text, bare: false };
      const expected =
        text === null ? { end: "bad_utf8", messages: [] } : { end: "clean", messages: [message] };
      expect(readAll([stream])).toEqual(expected);
      expect(readAll([stream.subarray(0, cut), stream.subarray(cut)])).toEqual(expected);
      expect(readAll(Array.from(stream, (one) => Uint8Array.of(one)))).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

test("a character that the end of the stream cuts is no text", () => {
  expect(readAll([Buffer.from("data: €").subarray(0, -1)])).toEqual({ end: "bad_utf8", messages: [] });
});
