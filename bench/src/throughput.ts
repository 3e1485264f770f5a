/** In comes a stream's shape, out come each contender's medians of interleaved repetitions; refused is a wrong result. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { RoundTime } from "./contender-process.ts";
import type { ContenderName } from "./contenders.ts";
import type { LongStream, StreamShape } from "./long-streams.ts";

export interface Row {
  readonly contender: string;
  readonly medianMs: number;
  readonly megabytesPerSecond: number;
  /** How many times Airlock's throughput is this contender's, by the medians of the clock and of processor time. */
  readonly airlockIsTimes: number;
  readonly byCpuTime: number;
  readonly goal: number | null;
}

export interface Throughput {
  readonly family: LongStream["family"];
  readonly bytes: number;
  readonly events: number;
  readonly rows: readonly Row[];
}

interface Entry {
  readonly name: ContenderName;
  readonly title: string;
  /** What the throughput of Airlock is to be at least, in multiples of this one's. */
  readonly goal: number | null;
}

const AIRLOCK = { name: "airlock", title: "Airlock: bytes to terminal records", goal: null } as const;
const FLOOR = { name: "floor", title: "floor: eventsource-parser, JSON.parse, join", goal: 0.6 } as const;

const ENTRIES = {
  responses: [
    AIRLOCK,
    FLOOR,
    { name: "openaiSdk", title: "OpenAI SDK: responses.stream().finalResponse()", goal: 10 },
    { name: "aiSdk", title: "AI SDK: streamText", goal: 25 },
  ],
  anthropic: [
    AIRLOCK,
    FLOOR,
    { name: "anthropicSdk", title: "Anthropic SDK: messages.stream().finalMessage()", goal: 2 },
  ],
} as const satisfies Record<LongStream["family"], readonly Entry[]>;

const PROGRAM = fileURLToPath(new URL("contender-process.ts", import.meta.url));

export async function measureThroughput(
  family: LongStream["family"],
  shape: StreamShape,
  repetitions: number,
): Promise<Throughput> {
  const entries: readonly Entry[] = ENTRIES[family];
  const processes = new Map<Entry, ChildProcess>();
  const times = new Map<Entry, RoundTime[]>(entries.map((entry) => [entry, []]));
  let size = { bytes: 0, events: 0 };
  try {
    for (const entry of entries) {
      const child = fork(PROGRAM, [entry.name, family, `${shape.argumentBytes}`, `${shape.deltaBytes}`]);
      processes.set(entry, child);
      [size] = (await answerOf(child)) as [typeof size];
    }
    for (let round = 0; round < repetitions; round += 1) {
      for (const [entry, child] of processes) {
        const answer = answerOf(child);
        child.send("round");
        times.get(entry)?.push(((await answer) as [RoundTime])[0]);
      }
    }
  } finally {
    for (const child of processes.values()) child.kill();
  }
  const medians = entries.map((entry) => {
    const rounds = times.get(entry) ?? [];
    return {
      elapsedMs: median(rounds.map(({ elapsedMs }) => elapsedMs)),
      cpuMs: median(rounds.map(({ cpuMs }) => cpuMs)),
    };
  });
  const [own] = medians;
  const rows = entries.map(({ title, goal }, at) => {
    const { elapsedMs = Number.NaN, cpuMs = Number.NaN } = medians[at] ?? {};
    return {
      contender: title,
      medianMs: elapsedMs,
      megabytesPerSecond: size.bytes / 1_000 / elapsedMs,
      airlockIsTimes: elapsedMs / (own?.elapsedMs ?? Number.NaN),
      byCpuTime: cpuMs / (own?.cpuMs ?? Number.NaN),
      goal,
    };
  });
  return { family, ...size, rows };
}

/** The next message of a process; one that ends instead has failed, and said why. */
async function answerOf(child: ChildProcess): Promise<unknown> {
  const ending = new AbortController();
  const failed = once(child, "exit", { signal: ending.signal }).then(() => {
    throw new Error(`${child.spawnargs.at(-4)} failed`);
  });
  try {
    return await Promise.race([once(child, "message"), failed]);
  } finally {
    failed.catch(() => undefined); // taking the listener away is no failure
    ending.abort();
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
