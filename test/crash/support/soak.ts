import { setTimeout as sleep } from "node:timers/promises";
import { isFinalRun, readRun } from "@airlock/core/run";
import { createRandom, type Random } from "../../support/random.ts";
import type { CrashCell } from "./crash-cell.ts";
import { disturb } from "./disturbances.ts";
import { soakSpec, worldOf, type RunFinding } from "./soak-runs.ts";

/** What a soak found, by looking at the world: the trees that runs worked in, not what Airlock says of them. */
export interface SoakReport {
  readonly runs: number;
  readonly disturbances: Readonly<Record<string, number>>;
  readonly completed: number;
  /** runs that say that an outcome is unknown */
  readonly unknown: number;
  /** runs that ended in another way, by state */
  readonly others: Readonly<Record<string, number>>;
  /** one line for each effect that happened twice, that is missing, or that was told otherwise; none is allowed */
  readonly findings: readonly string[];
}

const RUNS_AT_ONCE = 3;
const DISTURBANCES_AT_MOST = 4;
/** Every run has a deadline of its own well below it. */
const LOST_AFTER_MS = 180_000;

/** Rounds of runs that are disturbed at random, each from a seed of its own, until `goOn` says no more. */
export async function soak(
  cell: CrashCell,
  options: {
    readonly source: string;
    readonly seed: number;
    readonly goOn: (round: number) => boolean;
    readonly tell?: (line: string) => void;
  },
): Promise<SoakReport> {
  const all: RunFinding[] = [];
  const disturbances: Record<string, number> = {};
  for (let round = 0; options.goOn(round); round += 1) {
    const seed = options.seed + round;
    const done = await disturbedRound(cell, { source: options.source, random: createRandom(seed) });
    for (const name of done.disturbances) disturbances[name] = (disturbances[name] ?? 0) + 1;
    all.push(...done.runs);
    options.tell?.(
      `seed ${seed}: ${done.disturbances.join(", ")}; ${done.runs.map(({ state }) => state).join(", ")}`,
    );
    for (const problem of done.runs.flatMap(({ problems }) => problems)) options.tell?.(`  ${problem}`);
  }
  return reportOf(all, disturbances);
}

async function disturbedRound(
  cell: CrashCell,
  { source, random }: { readonly source: string; readonly random: Random },
): Promise<{ readonly runs: readonly RunFinding[]; readonly disturbances: readonly string[] }> {
  const count = 1 + random.below(RUNS_AT_ONCE);
  const runs = await Promise.all(Array.from({ length: count }, () => cell.submit(soakSpec(source))));
  const disturbances: string[] = [];
  const planned = 1 + random.below(DISTURBANCES_AT_MOST);
  while (disturbances.length < planned && !(await allEnded(cell, runs))) {
    disturbances.push(await disturb(cell, random));
    await sleep(random.below(500));
  }
  const deadline = Date.now() + LOST_AFTER_MS;
  while (!(await allEnded(cell, runs)) && Date.now() < deadline) await sleep(100);
  return { runs: await Promise.all(runs.map((run) => worldOf(cell, run))), disturbances };
}

async function allEnded(cell: CrashCell, runs: readonly string[]): Promise<boolean> {
  const hashes = await Promise.all(runs.map((run) => readRun(cell.redis, run)));
  return hashes.every((hash) => hash !== null && isFinalRun(hash.state));
}

function reportOf(all: readonly RunFinding[], disturbances: Readonly<Record<string, number>>): SoakReport {
  const states: Record<string, number> = {};
  for (const { state } of all) states[state] = (states[state] ?? 0) + 1;
  const { completed = 0, outcome_unknown: unknown = 0, ...others } = states;
  return {
    runs: all.length,
    disturbances,
    completed,
    unknown,
    others,
    findings: all.flatMap(({ problems }) => problems),
  };
}
