/** In come lengths of arguments, out come what reading them costs in time and memory, beside the shortest one. */
import { airlock } from "./contenders.ts";
import { longStream, type LongStream } from "./long-streams.ts";
import { median } from "./throughput.ts";

export interface Cost {
  readonly family: LongStream["family"];
  readonly argumentMegabytes: number;
  readonly medianMs: number;
  readonly msPerMegabyte: number;
  /** Heap and external memory that is still held when the stream was read, per byte of arguments. */
  readonly heldPerByte: number;
}

const MEGABYTE = 1_000_000;

export async function measureCost(
  family: LongStream["family"],
  argumentMegabytes: number,
  repetitions: number,
): Promise<Cost> {
  const shape = { argumentBytes: argumentMegabytes * MEGABYTE, deltaBytes: 4_096 };
  const stream = longStream(family, shape);
  const times: number[] = [];
  const held: number[] = [];
  // Once: what the last round read is still held when the next one begins. What made the stream has to be gone.
  await idle();
  const before = memory();
  for (let round = -2; round < repetitions; round += 1) {
    const begin = performance.now();
    const read = await airlock(stream);
    const elapsed = performance.now() - begin;
    const after = memory();
    // Looked at only now, so that what was read is among what is held.
    if (typeof read !== "string" || read.length < shape.argumentBytes / 2)
      throw new Error("not all was read");
    if (round >= 0) {
      times.push(elapsed);
      held.push(after - before);
    }
  }
  const medianMs = median(times);
  return {
    family,
    argumentMegabytes,
    medianMs,
    msPerMegabyte: medianMs / argumentMegabytes,
    heldPerByte: median(held) / shape.argumentBytes,
  };
}

/** The engine keeps the text of the last regular expression that matched, so another one has to. */
async function idle(): Promise<void> {
  if (!/x/.test("x")) throw new Error("never");
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    memory();
  }
}

export function memory(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
