import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProcessName } from "../support/cell.ts";
import { countCall, effectsIn, writeCountingTests } from "../support/counting.ts";
import { makeRepository } from "../support/repository.ts";
import { REPORT, specOf, writeFixtures } from "../support/story.ts";
import { startCrashCell, type CrashCell } from "./support/crash-cell.ts";
import type { Failpoint } from "./support/redis-proxy.ts";

let cell: CrashCell;
let repository: Awaited<ReturnType<typeof makeRepository>>;
let fixtures: Awaited<ReturnType<typeof writeFixtures>>;

beforeAll(async () => {
  repository = await makeRepository(writeCountingTests);
  fixtures = await writeFixtures({ one: [[countCall("a")], [REPORT]] });
  cell = await startCrashCell({ fixtures: fixtures.directory, sources: [repository.directory] });
  await cell.trustRoute();
});

afterAll(async () => {
  await cell.close();
  await fixtures.remove();
  await repository.remove();
});

interface Row {
  readonly row: string;
  readonly process: ProcessName;
  readonly point: Failpoint;
}

/** Rows of the crash table after which the call still runs exactly once. */
const RUNS_ONCE: readonly Row[] = [
  {
    row: "1: the streamer dies when it has begun an attempt",
    process: "streamer",
    point: { moment: "after", command: /^attempt-begin / },
  },
  {
    row: "2: the streamer dies after the commit, before it publishes",
    process: "streamer",
    point: { moment: "before", command: /^add\w+Job \{airlock:items\}/ },
  },
  {
    row: "3: the streamer dies when it has published, before it hears so",
    process: "streamer",
    point: { moment: "after", command: /^add\w+Job \{airlock:items\}/ },
  },
  {
    row: "3: the streamer dies after publishing, before it acknowledges",
    process: "streamer",
    point: { moment: "before", command: /^moveToFinished \{airlock:turns\}/ },
  },
  {
    row: "4: the validator dies before its decision is written",
    process: "validator",
    point: { moment: "before", command: /^call-decide / },
  },
  {
    row: "5: the validator dies after the decision, before the grant is kept",
    process: "validator",
    point: { moment: "before", command: /^call-release / },
  },
  {
    row: "5: the validator dies with the grant kept, before it publishes",
    process: "validator",
    point: { moment: "before", command: /^add\w+Job \{airlock:executions/ },
  },
  {
    row: "6: the validator dies after publishing",
    process: "validator",
    point: { moment: "after", command: /^add\w+Job \{airlock:executions/ },
  },
  {
    row: "9: the executor dies before the claim",
    process: "executor",
    point: { moment: "before", command: /^ledger-claim / },
  },
  {
    row: "10: the executor dies after the claim",
    process: "executor",
    point: { moment: "after", command: /^ledger-claim / },
  },
  {
    row: "10: the executor dies right before it begins",
    process: "executor",
    point: { moment: "before", command: /^ledger-begin / },
  },
  {
    row: "17: the commit ran, and its answer is lost",
    process: "executor",
    point: { moment: "after", command: /^ledger-leave / },
  },
  {
    row: "18: after the commit, before the result is published",
    process: "executor",
    point: { moment: "before", command: /^add\w+Job \{airlock:results\}/ },
  },
  {
    row: "19: after publishing, before the acknowledgement",
    process: "executor",
    point: { moment: "before", command: /^moveToFinished \{airlock:executions/ },
  },
  {
    row: "the validator dies before it stores a result",
    process: "validator",
    point: { moment: "before", command: /^call-settle / },
  },
  {
    row: "the validator dies with the result stored, before the next turn",
    process: "validator",
    point: { moment: "after", command: /^call-settle / },
  },
  {
    row: "the validator dies with the next turn open, before it publishes it",
    process: "validator",
    point: { moment: "after", command: /^turn-next / },
  },
];

describe("SIGKILL between two steps: the run completes, and the call ran once", () => {
  test.each(RUNS_ONCE)("row $row", async ({ process, point }) => {
    const killed = cell.killAt(process, point);
    const run = await cell.submit(
      specOf("one", repository.directory, { limits: { attempts: 10, deadlineMs: 120_000 } }),
    );
    await killed;
    await cell.start(process);
    expect(await cell.ended(run)).toMatchObject({ state: "completed" });
    expect(await effectsIn(path.join(cell.volume, run, "tree"))).toEqual({ a: 1 });
  });
});
