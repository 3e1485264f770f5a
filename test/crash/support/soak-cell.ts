import { writeCountingTests } from "../../support/counting.ts";
import { makeRepository } from "../../support/repository.ts";
import { writeFixtures } from "../../support/story.ts";
import { startCrashCell, type CrashCell } from "./crash-cell.ts";
import { SOAK_CASE } from "./soak-runs.ts";

export interface SoakCell {
  readonly cell: CrashCell;
  readonly source: string;
  close(): Promise<void>;
}

/** A cell with two executors, and a repository whose effects can be counted. */
export async function startSoakCell(): Promise<SoakCell> {
  const repository = await makeRepository(writeCountingTests);
  const fixtures = await writeFixtures({ soak: SOAK_CASE });
  const cell = await startCrashCell({
    fixtures: fixtures.directory,
    sources: [repository.directory],
    services: ["streamer", "validator", "executor", "executor-2"],
  });
  await cell.trustRoute();
  return {
    cell,
    source: repository.directory,
    async close() {
      await cell.close();
      await fixtures.remove();
      await repository.remove();
    },
  };
}
