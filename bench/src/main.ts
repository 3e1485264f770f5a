/** Prints what reading streams costs: throughput beside others, cost by length, and many open streams at once. */
import { execFile } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { measureCost } from "./linear.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { StreamShape } from "./long-streams.ts";
import { startSlowServer } from "./slow-server.ts";
import { measureThroughput } from "./throughput.ts";

const PARTS = ["throughput", "linear", "streams"] as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repetitions: { type: "string", default: "15" },
    "argument-bytes": { type: "string" },
    "delta-bytes": { type: "string" },
    lags: { type: "boolean", default: false },
    streams: { type: "string", default: "1000" },
    seconds: { type: "string", default: "20" },
  },
});
const parts: readonly string[] = positionals.length === 0 ? PARTS : positionals;
const repetitions = Number(values.repetitions);
const run = promisify(execFile);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Deltas as models stream them, a token or a few each; and as proxies do that gather them. */
const SHAPES: readonly StreamShape[] = [
  { argumentBytes: 400_000, deltaBytes: 24 },
  { argumentBytes: 4_000_000, deltaBytes: 4_096 },
];

function shapes(): readonly StreamShape[] {
  const { "argument-bytes": argumentBytes, "delta-bytes": deltaBytes } = values;
  if (argumentBytes === undefined && deltaBytes === undefined) return SHAPES;
  return [{ argumentBytes: Number(argumentBytes ?? 400_000), deltaBytes: Number(deltaBytes ?? 24) }];
}

async function printThroughput(shape: StreamShape): Promise<void> {
  print(`\n${shape.argumentBytes} bytes of arguments in deltas of ${shape.deltaBytes}`);
  for (const family of ["responses", "anthropic"] as const) {
    const { bytes, events, rows } = await measureThroughput(family, shape, repetitions);
    print(`\n${family}: ${events} events, ${(bytes / 1e6).toFixed(2)} MB, median of ${repetitions}`);
    print("        ms     MB/s  Airlock is  by CPU time  goal  contender");
    for (const row of rows) {
      const cells = [
        row.medianMs.toFixed(1).padStart(10),
        row.megabytesPerSecond.toFixed(1).padStart(8),
        `${row.airlockIsTimes.toFixed(2)} x`.padStart(11),
        `${row.byCpuTime.toFixed(2)} x`.padStart(12),
        `${row.goal ?? ""}`.padStart(5),
        ` ${row.contender}`,
      ];
      print(cells.join(" "));
    }
  }
}

async function printCost(): Promise<void> {
  print("\ncost by length, deltas of 4 KiB");
  print("argument MB        ms  ms per MB  bytes held per byte  family");
  for (const family of ["responses", "anthropic"] as const) {
    for (const megabytes of [1, 10, 50]) {
      const { medianMs, msPerMegabyte, heldPerByte } = await measureCost(family, megabytes, 5);
      print(
        `${String(megabytes).padStart(11)} ${medianMs.toFixed(1).padStart(9)} ${msPerMegabyte.toFixed(2).padStart(10)} ${heldPerByte.toFixed(2).padStart(20)}  ${family}`,
      );
    }
  }
}

async function printStreams(): Promise<void> {
  const seconds = Number(values.seconds);
  const eventsPerSecond = 10;
  const server = await startSlowServer({ eventsPerSecond, events: seconds * eventsPerSecond });
  const program = fileURLToPath(new URL("open-streams.ts", import.meta.url));
  const args = [...process.execArgv, program, server.url, values.streams, values.seconds];
  const { stdout } = await run(process.execPath, args);
  server.close();
  const { worstLagMs, lagsMs, ...result } = JSON.parse(stdout) as OpenStreams;
  const kib = (bytes: number): string => `${(bytes / 1_024).toFixed(1)} KiB`;
  print(`\n${result.streams} streams open at once, ${eventsPerSecond} events a second each, ${seconds} s`);
  print(`complete: ${result.complete} of ${result.streams}`);
  print(
    `memory per open stream: ${kib(result.heldPerStream)}, ${kib(result.receivedPerStream)} of it received; beyond that ${kib(result.beyondReceivedPerStream)} (goal: at most 64)`,
  );
  const { min, median, p99, max } = worstLagMs;
  print(
    `worst lag of each stream, ms: best ${min.toFixed(0)}, median ${median.toFixed(0)}, p99 ${p99.toFixed(0)}, worst ${max.toFixed(0)}`,
  );
  if (values.lags)
    print(`of each, in the order of opening: ${lagsMs.map((lag) => lag.toFixed(0)).join(" ")}`);
}

print(`Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}`);
if (parts.includes("throughput")) for (const shape of shapes()) await printThroughput(shape);
if (parts.includes("linear")) await printCost();
if (parts.includes("streams")) await printStreams();
