import type { Redis } from "ioredis";

/** How often each command ran, those within scripts among them. */
export type CommandCounts = ReadonlyMap<string, number>;

/** Commands of waiting processes, which come without any work. */
const IDLE = new Set(["bzpopmin", "xread", "ping", "info", "client", "hello", "config"]);

export async function readCommandCounts(redis: Redis): Promise<CommandCounts> {
  const text = await redis.info("commandstats");
  const counts = [...text.matchAll(/^cmdstat_([a-z|]+):calls=(\d+)/gm)].map(
    ([, name = "", calls]) => [name, Number(calls)] as const,
  );
  return new Map(counts.filter(([name]) => !IDLE.has(name.split("|")[0] ?? "")));
}

export function countsBetween(before: CommandCounts, after: CommandCounts): CommandCounts {
  const counts = [...after].map(([name, calls]) => [name, calls - (before.get(name) ?? 0)] as const);
  return new Map(counts.filter(([, calls]) => calls > 0).toSorted(([, left], [, right]) => right - left));
}

export function total(counts: CommandCounts): number {
  return [...counts.values()].reduce((sum, calls) => sum + calls, 0);
}
