// Plays mutated recordings against the readers of all wire families. Bounded by --cases; prints its seed, and for
// each finding the seed that plays it alone, and keeps its bytes.
//   node --conditions=source --import tsx scripts/fuzz-wire.ts [--cases 200000] [--seed S] [--keep DIR]
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { fuzz, type Finding } from "./fuzz-wire/fuzz.ts";
import { recordings } from "./fuzz-wire/recordings.ts";

const DEFAULT_CASES = 200_000;

const { values } = parseArgs({
  options: { cases: { type: "string" }, seed: { type: "string" }, keep: { type: "string" } },
});
const cases = numberOf(values.cases) ?? DEFAULT_CASES;
const seed = numberOf(values.seed) ?? Math.floor(Math.random() * 2 ** 31);

process.stdout.write(`seed ${seed}, ${cases} cases\n`);
const result = fuzz({
  recordings: recordings(process.env["AIRLOCK_SHARED"]),
  seed,
  cases,
  now: () => performance.now(),
});
process.stdout.write(
  `${result.executable} cases had something to run; the slowest took ${result.slowestMs.toFixed(1)} ms; ` +
    `${result.findings.length} findings\n`,
);
for (const finding of result.findings) report(finding);
process.exitCode = result.findings.length === 0 ? 0 : 1;

function report(finding: Finding): void {
  const { family, buffered, closingMarker, end } = finding.options;
  const how = `${family}${buffered ? ", buffered" : ""}, marker ${closingMarker}, end ${end}`;
  process.stdout.write(`--seed ${finding.seed} --cases 1: ${finding.problem} (${finding.file}; ${how})\n`);
  if (values.keep === undefined) return;
  mkdirSync(values.keep, { recursive: true });
  writeFileSync(join(values.keep, `${finding.seed}.${family}.${buffered ? "json" : "sse"}`), finding.bytes);
}

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
}
