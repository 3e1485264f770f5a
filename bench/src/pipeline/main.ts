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
import { measured, quantile, type Measured } from "./measured.ts";
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

function load(): string {
  return loadavg()[0]?.toFixed(1) ?? "";
}

/** Both take turns, so that what else the machine does falls on both. */
async function compare(airlock: Airlock, bare: BarePipeline, runs: number): Promise<void> {
  const server = Number(/^process_id:(\d+)/m.exec(await airlock.cell.redis.info("server"))?.[1]);
  const all: { readonly airlock: Measured; readonly bare: Measured }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    all.push({
      airlock: await measured([server, ...airlock.pids], () => airlock.play(runs)),
      bare: await measured([server, ...bare.pids], () => bare.play(turns * runs, runs)),
    });
  }
  const [own, floor] = (["airlock", "bare"] as const).map((name) => {
    const middle = (of: "perSecond" | "cpuMs"): number =>
      quantile(
        all.map((round) => round[name][of]),
        0.5,
      );
    const times = all.flatMap((round) => round[name].times);
    return {
      name,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      perSecond: middle("perSecond"),
      cpuMs: middle("cpuMs"),
    };
  });
  if (own === undefined || floor === undefined) return;
  print(`\n${runs === 1 ? "one at a time" : `${runs} at once`}, ${rounds} rounds, load ${load()}`);
  for (const { name, p50, p99, perSecond, cpuMs } of [own, floor]) {
    const times = `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
    print(
      `${name.padEnd(8)} ${times}, ${perSecond.toFixed(1)} a second, ${cpuMs.toFixed(1)} ms of processors`,
    );
  }
  const ratios = {
    "p50 (goal: at most 2.5)": own.p50 / floor.p50,
    "throughput (goal: at least 0.5)": own.perSecond / floor.perSecond,
    "processor time": own.cpuMs / floor.cpuMs,
  };
  const told = Object.entries(ratios).map(([what, ratio]) => `${what} ${ratio.toFixed(2)}`);
  print(`ratio    ${told.join(", ")}`);
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

print(`Node ${process.version}, ${availableParallelism()} cores, load ${load()}`);
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
