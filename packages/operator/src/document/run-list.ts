import { AirlockError } from "@airlock/core/fault";
import { readRun } from "@airlock/core/run";
import { globalKeys, type Redis } from "@airlock/core/store";
import { reasonOf } from "./run-document.ts";

export interface RunListEntry {
  readonly id: string;
  readonly state: string;
  readonly route: string;
  readonly model: string;
  readonly turn: number;
  /** null until its first call */
  readonly pool: string | null;
  readonly createdAt: string | null;
  readonly endedAt: string | null;
  readonly reason: string | null;
}

/** The latest runs, newest first. One whose record can't be read keeps no other from the list. */
export async function listRuns(redis: Redis, limit: number): Promise<readonly RunListEntry[]> {
  const ids = await redis.zrevrange(globalKeys.runs, 0, limit - 1);
  const runs = await Promise.all(ids.map((id) => readEntry(redis, id)));
  return runs.filter((run) => run !== null);
}

async function readEntry(redis: Redis, id: string): Promise<RunListEntry | null> {
  try {
    const run = await readRun(redis, id);
    if (run === null) return null;
    const { state, route, model, turn, pool = null, createdAt, endedAt } = run;
    return {
      id,
      state,
      route,
      model,
      turn,
      pool,
      createdAt: new Date(createdAt).toISOString(),
      endedAt: endedAt === undefined ? null : new Date(endedAt).toISOString(),
      reason: reasonOf(run),
    };
  } catch (error) {
    if (!(error instanceof AirlockError) || error.retry !== "never") throw error;
    return { ...UNREADABLE, id, reason: `${error.code}: ${error.message}` };
  }
}

const UNREADABLE = {
  state: "unreadable",
  route: "-",
  model: "-",
  turn: 0,
  pool: null,
  createdAt: null,
  endedAt: null,
} as const;
