// Disturbs real processes at random while runs go on, and looks at the world afterwards.
//   node --conditions=source --import tsx scripts/crash-soak.ts [--minutes 10] [--seed S]
import { parseArgs } from "node:util";
import { startSoakCell } from "../test/crash/support/soak-cell.ts";
import { soak } from "../test/crash/support/soak.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, seed: { type: "string" } },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  process.stderr.write("--minutes takes a positive number, --seed a whole one\n");
  process.exit(2);
}
const end = Date.now() + minutes * 60_000;
process.stdout.write(`seed ${seed}, ${minutes} minutes\n`);
const soaking = await startSoakCell();
try {
  const tell = (line: string): void => void process.stdout.write(`${line}\n`);
  const report = await soak(soaking.cell, {
    source: soaking.source,
    seed,
    goOn: () => Date.now() < end,
    tell,
  });
  const { runs, disturbances, completed, unknown, others, findings } = report;
  tell(
    `${runs} runs: ${completed} completed, ${unknown} say that an outcome is unknown, others ${JSON.stringify(others)}`,
  );
  tell(`disturbed by ${JSON.stringify(disturbances)}`);
  tell(`${findings.length} findings (an effect twice, lost, or told otherwise than it was)`);
  process.exitCode = findings.length === 0 ? 0 : 1;
} finally {
  await soaking.close();
}
