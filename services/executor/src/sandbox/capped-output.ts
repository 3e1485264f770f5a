import { Buffer } from "node:buffer";

/** The first and last bytes of a stream; what lay between was counted and dropped. */
export interface CappedOutput {
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly totalBytes: number;
  readonly omittedBytes: number;
}

export interface OutputCollector {
  push(chunk: Buffer): void;
  totalBytes(): number;
  finish(): CappedOutput;
}

/** Holds at most `maxBytes`, whatever arrives; the work per chunk is linear in the chunk. */
export function createOutputCollector(maxBytes: number): OutputCollector {
  const head = Buffer.alloc(Math.ceil(maxBytes / 2));
  const ring = Buffer.alloc(maxBytes - head.length);
  let headLength = 0;
  let ringTotal = 0;
  return {
    push(chunk) {
      const taken = chunk.copy(head, headLength);
      headLength += taken;
      ringTotal = pushToRing(ring, ringTotal, chunk.subarray(taken));
    },
    totalBytes: () => headLength + ringTotal,
    finish() {
      const tail = unroll(ring, ringTotal);
      const kept = headLength + tail.length;
      const totalBytes = headLength + ringTotal;
      return { head: head.subarray(0, headLength), tail, totalBytes, omittedBytes: totalBytes - kept };
    },
  };
}

function pushToRing(ring: Buffer, total: number, chunk: Buffer): number {
  if (ring.length === 0 || chunk.length === 0) return total + chunk.length;
  const last = chunk.subarray(Math.max(0, chunk.length - ring.length));
  const start = (total + chunk.length - last.length) % ring.length;
  const untilEnd = last.copy(ring, start);
  last.copy(ring, 0, untilEnd);
  return total + chunk.length;
}

function unroll(ring: Buffer, total: number): Buffer {
  if (total <= ring.length) return Buffer.from(ring.subarray(0, total));
  const start = total % ring.length;
  return Buffer.concat([ring.subarray(start), ring.subarray(0, start)]);
}
