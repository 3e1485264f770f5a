import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readEvent, runKeys } from "@airlock/core/store";
import { startCell, type Cell } from "../../../test/support/cell.ts";
import { makeRepository } from "../../../test/support/repository.ts";
import { specOf } from "../../../test/support/story.ts";
import type { Passed } from "./measured.ts";
import { startProcess } from "./start-process.ts";

/** Turns of a run, each one response with one call of a `read` tool for a file of 1 KB, until the call is settled. */
export interface Airlock {
  readonly cell: Cell;
  /** its processes, but for the model's */
  readonly pids: readonly number[];
  /** Plays runs at once; gives how long each turn took by Redis' clock, from its opening to its close. */
  play(runs: number): Promise<readonly Passed[]>;
  close(): Promise<void>;
}

export async function startAirlock(turns: number): Promise<Airlock> {
  const repository = await makeRepository((directory) =>
    writeFile(path.join(directory, "kilobyte.txt"), `${"x".repeat(63)}\n`.repeat(16)),
  );
  const model = await startProcess("model.ts", [String(turns)]);
  const cell = await startCell({
    sources: [repository.directory],
    route: { baseUrl: `http://127.0.0.1:${model.said}` },
    // the times of a farm, not those with which tests look for crashes
    env: {
      AIRLOCK_LOCK_MS: "60000",
      AIRLOCK_STALLED_MS: "15000",
      AIRLOCK_SWEEP_MS: "5000",
      AIRLOCK_OPEN_MS: "30000",
      AIRLOCK_LEASE_MS: "30000",
      AIRLOCK_CONCURRENCY: "16",
    },
  });
  await cell.trustRoute();
  const limits = { turns: turns + 2, calls: turns + 1, deadlineMs: 600_000 };
  const spec = specOf("reading", repository.directory, { tools: ["read_file"], policy: "read-only", limits });
  return {
    cell,
    pids: (["streamer", "validator", "executor"] as const).map((name) => cell.processOf(name)?.pid ?? 0),
    async play(count) {
      const runs = await Promise.all(Array.from({ length: count }, () => cell.submit(spec)));
      for (const run of runs) await completed(cell, run);
      return (await Promise.all(runs.map((run) => turnsOf(cell, run)))).flat();
    },
    async close() {
      await cell.close();
      model.child.kill("SIGKILL");
      await repository.remove();
    },
  };
}

/** Asks seldom and for one field: who waits takes time from those who work. */
async function completed(cell: Cell, run: string): Promise<void> {
  const key = runKeys(run).run;
  while ((await cell.redis.hexists(key, "endedAt")) === 0) await sleep(250);
  const [state, errorClass] = await cell.redis.hmget(key, "state", "errorClass");
  if (state !== "completed") throw new Error(`a run ended ${state} with ${errorClass}`);
}

/** The first turn also makes the workspace, and the last one has no call: neither counts. */
async function turnsOf(cell: Cell, run: string): Promise<readonly Passed[]> {
  const opened = new Map<number, number>();
  const turns: Passed[] = [];
  for (const [id, fields] of await cell.redis.xrange(runKeys(run).events, "-", "+")) {
    const event = readEvent(fields);
    const at = Number(id.split("-")[0]);
    if (event?.type === "attempt_opened") opened.set(event.turn, at);
    if (event?.type === "turn_closed" && event.turn > 1)
      turns.push({ at, tookMs: at - (opened.get(event.turn) ?? at) });
  }
  return turns;
}
