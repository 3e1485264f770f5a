/**
 * One contender in a process of its own: nobody's garbage and nobody's compiled code is another's. For each message it
 * reads the stream once more and answers with its time. `contender-process.ts NAME FAMILY BYTES DELTA`.
 */
import { isDeepStrictEqual } from "node:util";
import { CONTENDERS, type ContenderName } from "./contenders.ts";
import { longStream, type LongStream } from "./long-streams.ts";

/** What is not counted, at least: code is compiled while it runs, and a streamer runs for days. */
const WARM_UP = { rounds: 8, milliseconds: 3_000 } as const;

const [name = "", family = "", argumentBytes = "", deltaBytes = ""] = process.argv.slice(2);
const contender = CONTENDERS[name as ContenderName];
const stream = longStream(family as LongStream["family"], {
  argumentBytes: Number(argumentBytes),
  deltaBytes: Number(deltaBytes),
});

export interface RoundTime {
  readonly elapsedMs: number;
  /** Processor time of the whole process, its collector included. */
  readonly cpuMs: number;
}

async function round(): Promise<RoundTime> {
  const begin = performance.now();
  const cpuBefore = process.cpuUsage();
  const read = await contender(stream);
  const cpu = process.cpuUsage(cpuBefore);
  const elapsedMs = performance.now() - begin;
  const { argumentsText } = stream;
  const same =
    typeof read === "string" ? read === argumentsText : isDeepStrictEqual(read, JSON.parse(argumentsText));
  if (!same) throw new Error(`${name} did not read what the stream says`);
  return { elapsedMs, cpuMs: (cpu.user + cpu.system) / 1_000 };
}

const until = performance.now() + WARM_UP.milliseconds;
for (let at = 0; at < WARM_UP.rounds || performance.now() < until; at += 1) await round();
process.on("message", () => void round().then((time) => process.send?.(time)));
process.send?.({ bytes: stream.bytes, events: stream.events });
