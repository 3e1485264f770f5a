import type { Redis } from "@airlock/core/store";

/** Every key of a server, sorted. */
export async function allKeys(redis: Redis): Promise<readonly string[]> {
  return (await redis.keys("*")).toSorted();
}

/** The last parts of a run's keys: `run`, `turn:1`, … */
export async function runFamilies(redis: Redis, run: string): Promise<readonly string[]> {
  const base = `airlock:{${run}}:`;
  return (await allKeys(redis)).flatMap((key) =>
    key.startsWith(base) ? [key.slice(base.length).replaceAll(run, "<run>")] : [],
  );
}
