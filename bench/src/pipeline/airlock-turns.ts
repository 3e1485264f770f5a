import { writeFile } from "node:fs/promises";
import path from "node:path";
import { readEvent, runKeys } from "@airlock/core/store";
import { startCell, type Cell } from "../../../test/support/cell.ts";
import { makeRepository } from "../../../test/support/repository.ts";
import { call, REPORT, specOf, writeFixtures } from "../../../test/support/story.ts";

/** Turns of a run, each one response with one call of a `read` tool for a file of 1 KB, until the call is settled. */
export interface Airlock {
  readonly cell: Cell;
  /** Plays runs at once; gives how long each turn took, in milliseconds of Redis' clock, from its opening to its close. */
  play(runs: number): Promise<readonly number[]>;
  close(): Promise<void>;
}

export async function startAirlock(turns: number): Promise<Airlock> {
  const repository = await makeRepository((directory) =>
    writeFile(path.join(directory, "kilobyte.txt"), `${"x".repeat(63)}\n`.repeat(16)),
  );
  const reading = Array.from({ length: turns }, () => [call("read_file", { path: "kilobyte.txt" })]);
  const fixtures = await writeFixtures({ reading: [...reading, [REPORT]] });
  const cell = await startCell({
    fixtures: fixtures.directory,
    sources: [repository.directory],
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
    async play(count) {
      const runs = await Promise.all(Array.from({ length: count }, () => cell.submit(spec)));
      for (const run of runs) {
        const { state, errorClass } = await cell.ended(run, 600_000);
        if (state !== "completed") throw new Error(`a run ended ${state} with ${errorClass}`);
      }
      return (await Promise.all(runs.map((run) => turnTimes(cell, run)))).flat();
    },
    async close() {
      await cell.close();
      await fixtures.remove();
      await repository.remove();
    },
  };
}

/** The first turn also makes the workspace, and the last one has no call: neither counts. */
async function turnTimes(cell: Cell, run: string): Promise<readonly number[]> {
  const opened = new Map<number, number>();
  const times: number[] = [];
  for (const [id, fields] of await cell.redis.xrange(runKeys(run).events, "-", "+")) {
    const event = readEvent(fields);
    const at = Number(id.split("-")[0]);
    if (event?.type === "attempt_opened") opened.set(event.turn, at);
    if (event?.type === "turn_closed" && event.turn > 1) times.push(at - (opened.get(event.turn) ?? at));
  }
  return times;
}
