// The README's second command, after the set-up: every check, then every test on this Node, and all but the longest on
// Node 24.
// Counts go to .test-results/summary.json; the exit code is 0 only if everything passed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createRequire } from "node:module";
import path from "node:path";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const RESULTS = path.join(ROOT, ".test-results");
const CHECKS = ["format:check", "lint", "types", "dead"];
/** What they show doesn't depend on the version of Node: processes that are killed, waited for and counted; pages. */
const LONGEST = [
  "test/browser/**",
  "test/crash/**",
  "test/escape/**",
  ...[
    "boundary",
    "git-tools",
    "operator-tools",
    "policy",
    "quarantine",
    "reconcile",
    "routes",
    "workspaces",
  ].map((name) => `test/e2e/${name}.test.ts`),
];
const VITEST = path.join(ROOT, "node_modules/vitest/vitest.mjs");

rmSync(RESULTS, { recursive: true, force: true });
mkdirSync(RESULTS);

const failedChecks = CHECKS.filter((check) => {
  console.log(`\n> ${check}`);
  return run("pnpm", ["run", "--silent", check]) !== 0;
});
// What the types check has built is what processes start from; without it they start from source.
const built = failedChecks.includes("types") ? {} : { AIRLOCK_TEST_BUILT: "1" };
const summaries = [
  suite("this-node", process.execPath, []),
  suite(
    "node-24",
    node24(),
    LONGEST.flatMap((file) => ["--exclude", file]),
  ),
];
const passed = CHECKS.length - failedChecks.length + sum("passed");
const failed = failedChecks.length + sum("failed");
writeFileSync(path.join(RESULTS, "summary.json"), JSON.stringify({ passed, failed }));
console.log(
  `\n${summaries.map(({ name, version, passed: ok }) => `${name} (${version}): ${ok} passed`).join("\n")}`,
);
if (failedChecks.length > 0) console.log(`failed checks: ${failedChecks.join(", ")}`);
process.exitCode = failed === 0 ? 0 : 1;

/** A run of the tests on one Node. A run that ends without a report counts as one failure. */
function suite(name, node, choice) {
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  console.log(`\n> tests on Node ${version}`);
  const report = path.join(RESULTS, `${name}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const code = run(node, [VITEST, "run", ...reporters, ...choice], built);
  if (!existsSync(report)) return { name, version, passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
  const failures = code === 0 ? numFailedTests : Math.max(numFailedTests, 1);
  return { name, version, passed: numPassedTests, failed: failures };
}

function node24() {
  const require = createRequire(path.join(ROOT, "test/node24/package.json"));
  const name = `node-linux-${process.arch}`;
  return path.join(path.dirname(require.resolve(`${name}/package.json`)), "bin/node");
}

function run(command, args, settings = {}) {
  const env = { ...process.env, ...settings };
  return spawnSync(command, args, { cwd: ROOT, stdio: "inherit", env }).status ?? 1;
}

function sum(field) {
  return summaries.reduce((total, summary) => total + summary[field], 0);
}
