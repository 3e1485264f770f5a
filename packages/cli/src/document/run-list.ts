import { readRun } from "@airlock/core/run";
import { globalKeys, type Redis } from "@airlock/core/store";
import { reasonOf } from "./run-document.ts";

export interface RunListEntry {
  readonly id: string;
  readonly state: string;
  readonly route: string;
  readonly model: string;
  readonly turn: number;
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly reason: string | null;
}

/** The latest runs, newest first. */
export async function listRuns(redis: Redis, limit: number): Promise<readonly RunListEntry[]> {
  const ids = await redis.zrevrange(globalKeys.runs, 0, limit - 1);
  const runs = await Promise.all(ids.map(async (id) => ({ id, run: await readRun(redis, id) })));
  return runs.flatMap(({ id, run }) =>
    run === null
      ? []
      : [
          {
            id,
            state: run.state,
            route: run.route,
            model: run.model,
            turn: run.turn,
            createdAt: new Date(run.createdAt).toISOString(),
            endedAt: run.endedAt === undefined ? null : new Date(run.endedAt).toISOString(),
            reason: reasonOf(run),
          },
        ],
  );
}
