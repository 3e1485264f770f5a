import { readRunHeads } from "@airlock/core/run";
import type { Redis } from "@airlock/core/store";

/** What a run's submitter called it. None where its record can't be read: what happened to it is still to be told. */
export async function labelsOf(redis: Redis, run: string): Promise<Readonly<Record<string, string>>> {
  const [head = null] = await readRunHeads(redis, [run]);
  return head === null || head instanceof Error ? {} : head.labels;
}
