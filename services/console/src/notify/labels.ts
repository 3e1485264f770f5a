import { AirlockError } from "@airlock/core/fault";
import { readRun } from "@airlock/core/run";
import type { Redis } from "@airlock/core/store";

/** What a run's submitter called it. None where its record can't be read: what happened to it is still to be told. */
export async function labelsOf(redis: Redis, run: string): Promise<Readonly<Record<string, string>>> {
  try {
    return (await readRun(redis, run))?.labels ?? {};
  } catch (error) {
    if (error instanceof AirlockError && error.code === "SCHEMA_VERSION") return {};
    throw error;
  }
}
