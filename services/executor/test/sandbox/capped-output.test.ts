import { Buffer } from "node:buffer";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createOutputCollector } from "../../src/sandbox/index.ts";

test("keeps the first and last bytes, however the stream is cut, and counts the rest", () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 });
  fc.assert(
    fc.property(chunks, fc.integer({ min: 0, max: 64 }), (parts, cap) => {
      const all = Buffer.concat(parts);
      const collector = createOutputCollector(cap);
      for (const part of parts) collector.push(Buffer.from(part));
      const { head, tail, totalBytes, omittedBytes } = collector.finish();
      const kept = Math.min(all.length, cap);
      const headLength = Math.min(all.length, Math.ceil(cap / 2));
      expect({ head, tail, totalBytes, omittedBytes }).toEqual({
        head: all.subarray(0, headLength),
        tail: all.subarray(all.length - (kept - headLength)),
        totalBytes: all.length,
        omittedBytes: all.length - kept,
      });
    }),
  );
});
