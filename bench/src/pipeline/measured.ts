import { readFile } from "node:fs/promises";

/** One turn, or one job, that went the whole way. */
export interface Passed {
  readonly tookMs: number;
  /** when it was through, in milliseconds of one clock */
  readonly at: number;
}

export interface Measured {
  readonly times: readonly number[];
  readonly perSecond: number;
  /** processor time of all its processes for each, the server's and the model's among them */
  readonly cpuMs: number;
}

export function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The throughput is that of the middle: while things begin and end, not everybody is at work. */
export async function measured(
  pids: readonly number[],
  work: () => Promise<readonly Passed[]>,
): Promise<Measured> {
  const before = await cpuTimeMs(pids);
  const passed = await work();
  const cpuMs = ((await cpuTimeMs(pids)) - before) / passed.length;
  const ends = passed.map(({ at }) => at);
  const [from, to] = [quantile(ends, 0.1), quantile(ends, 0.9)];
  const within = ends.filter((at) => at > from && at <= to).length;
  return { times: passed.map(({ tookMs }) => tookMs), perSecond: (within * 1_000) / (to - from), cpuMs };
}

/** As Linux counts it, in hundredths of a second. */
async function cpuTimeMs(pids: readonly number[]): Promise<number> {
  const each = pids.map(async (pid) => {
    const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  });
  return (await Promise.all(each)).reduce((sum, time) => sum + time, 0);
}
