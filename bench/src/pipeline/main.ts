/**
 * Prints what the ledger adds to a call, beside a hop of BullMQ; what a turn costs from its opening to its settled result, beside BullMQ alone with as many hops on the same
 * Redis; and the Redis commands of one settled call, with few and with many calls stored.
 */
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startAirlock, type Airlock } from "./airlock-turns.ts";
import { startBarePipeline, type BarePipeline } from "./bare-pipeline.ts";
import { countsBetween, readCommandCounts, total, type CommandCounts } from "./command-counts.ts";
import { bareHop, ledgerCall } from "./ledger-call.ts";
import { storeCalls } from "./stored-calls.ts";

const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "40" },
    rounds: { type: "string", default: "3" },
    "at-once": { type: "string", default: "16" },
    stored: { type: "string", default: "1000,200000" },
  },
});
const turns = Number(values.turns);
const rounds = Number(values.rounds);
const atOnce = Number(values["at-once"]);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

interface Measured {
  readonly times: readonly number[];
  readonly perSecond: number;
}

async function timed(work: () => Promise<readonly number[]>): Promise<Measured> {
  const started = performance.now();
  const times = await work();
  return { times, perSecond: (times.length * 1_000) / (performance.now() - started) };
}

/** Both take turns, so that what else the machine does falls on both. */
async function compare(airlock: Airlock, bare: BarePipeline, runs: number): Promise<void> {
  const all: { readonly airlock: Measured; readonly bare: Measured }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    all.push({
      airlock: await timed(() => airlock.play(runs)),
      bare: await timed(() => bare.play(turns * runs, runs)),
    });
  }
  const rows = (["airlock", "bare"] as const).map((name) => ({
    name,
    times: all.flatMap((round) => round[name].times),
    perSecond: quantile(
      all.map((round) => round[name].perSecond),
      0.5,
    ),
  }));
  print(`\n${runs === 1 ? "one at a time" : `${runs} at once`}, ${rounds} rounds`);
  for (const { name, times, perSecond } of rows) {
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    print(
      `${name.padEnd(8)} p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${perSecond.toFixed(1)} a second`,
    );
  }
  const [own, floor] = rows;
  if (own === undefined || floor === undefined) return;
  const p50 = quantile(own.times, 0.5) / quantile(floor.times, 0.5);
  const throughput = own.perSecond / floor.perSecond;
  print(
    `ratio    p50 ${p50.toFixed(2)} (goal: at most 2.5), throughput ${throughput.toFixed(2)} (goal: at least 0.5)`,
  );
}

const HOPS = 300;

async function compareHop(airlock: Airlock): Promise<void> {
  const ledger = ledgerCall(airlock.cell.redis);
  const bare = await bareHop(airlock.cell.redis);
  const times: { readonly ledger: number; readonly bare: number }[] = [];
  for (let at = 0; at < HOPS; at += 1) {
    times.push({ ledger: await ledger.once(), bare: await bare.once() });
  }
  await bare.close();
  const p50 = (of: "ledger" | "bare"): number =>
    quantile(
      times.slice(20).map((time) => time[of]),
      0.5,
    );
  print(
    `\nclaim, begin and commit: p50 ${p50("ledger").toFixed(2)} ms; a hop of BullMQ: ${p50("bare").toFixed(2)} ms`,
  );
  print(`ratio    ${(p50("ledger") / p50("bare")).toFixed(2)}`);
}

function list(counts: CommandCounts, calls: number): string {
  return [...counts].map(([name, count]) => `${name} ${(count / calls).toFixed(1)}`).join(", ");
}

print(`Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}`);
const airlock = await startAirlock(turns);
const bare = await startBarePipeline(airlock.cell.server.url);
try {
  await airlock.play(2);
  await bare.play(100, 4);
  await compareHop(airlock);
  await compare(airlock, bare, 1);
  await compare(airlock, bare, atOnce);
  let stored = 0;
  for (const wanted of values.stored.split(",").map(Number)) {
    await storeCalls(airlock.cell.redis, wanted - stored);
    stored = wanted;
    const before = await readCommandCounts(airlock.cell.redis);
    await airlock.play(1);
    const used = countsBetween(before, await readCommandCounts(airlock.cell.redis));
    print(
      `\nRedis commands per settled call with ${wanted} calls stored: ${(total(used) / turns).toFixed(1)}`,
    );
    print(list(used, turns));
  }
  const before = await readCommandCounts(airlock.cell.redis);
  await bare.play(200, 1);
  const used = countsBetween(before, await readCommandCounts(airlock.cell.redis));
  print(`\nbare pipeline: ${(total(used) / 200).toFixed(1)}\n${list(used, 200)}`);
} finally {
  await bare.close();
  await airlock.close();
}
