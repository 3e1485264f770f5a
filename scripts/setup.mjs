// Makes a fresh clone usable: packages of the workspace, then the programs that Airlock starts. Needs Node.js alone.
// What is missing is installed where that can be done without asking (root on Debian or Ubuntu), else named.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OLDEST_NODE = [20, 19];
const BWRAP = process.env.AIRLOCK_BWRAP ?? "/usr/bin/bwrap";

/** A package for each need, in Debian's and Ubuntu's names; `present` says whether it is met. */
const NEEDS = [
  {
    package: "redis-server",
    what: "redis-server or valkey-server on the PATH (or REDIS_URL)",
    present: () => process.env.REDIS_URL !== undefined || onPath("redis-server") || onPath("valkey-server"),
  },
  { package: "git", what: "git on the PATH", present: () => onPath("git") },
  { package: "bubblewrap", what: `bubblewrap at ${BWRAP}`, present: () => isProgram(BWRAP) },
  // the tests look at the console's pages in a real browser; to run Airlock none is needed
  ...(process.argv.includes("--tests")
    ? [
        {
          package: "chromium",
          what: "chromium on the PATH, for the tests of the console's pages (or AIRLOCK_CHROMIUM)",
          present: () => isProgram(process.env.AIRLOCK_CHROMIUM ?? "") || onPath("chromium"),
        },
        {
          package: "prometheus",
          what: "promtool on the PATH, for the tests of the alert rules",
          present: () => onPath("promtool"),
        },
      ]
    : []),
];

class Failure extends Error {}

try {
  checkNode();
  installPackages();
  installPrograms();
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  process.stderr.write(`setup: ${error.message}\n`);
  process.exitCode = 1;
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const old = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  if (old) fail(`Node.js ${process.versions.node} is too old: install ${OLDEST_NODE.join(".")} or later`);
  if (process.platform !== "linux") fail(`Airlock's sandbox needs Linux, and this is ${process.platform}`);
}

/** With the pnpm that package.json names: the workspace's own once it is there, else through npx. */
function installPackages() {
  const { packageManager } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
  const own = path.join(ROOT, "node_modules/.bin/pnpm");
  const pnpm = existsSync(own) ? [own] : ["npx", "--yes", packageManager];
  const [file, ...args] = [...pnpm, "install", "--frozen-lockfile"];
  quietly("installing packages", file, args, { CI: "true" });
}

function installPrograms() {
  const missing = NEEDS.filter((need) => !need.present());
  if (missing.length === 0) return;
  const packages = missing.map((need) => need.package);
  const debian = existsSync("/etc/debian_version") && onPath("apt-get");
  if (!debian || process.geteuid?.() !== 0) {
    const names = missing.map((need) => `  ${need.what}`).join("\n");
    const hint = debian ? `\nrun: sudo apt-get install ${packages.join(" ")}` : "";
    fail(`these programs are missing:\n${names}${hint}`);
  }
  const quiet = { DEBIAN_FRONTEND: "noninteractive" };
  quietly("reading the package lists", "apt-get", ["update", "-qq"], quiet);
  withoutServices(() => {
    const args = ["install", "-y", "-qq", "--no-install-recommends", ...packages];
    quietly(`installing ${packages.join(", ")}`, "apt-get", args, quiet);
  });
  const still = NEEDS.filter((need) => !need.present());
  if (still.length > 0) fail(`still missing: ${still.map((need) => need.what).join(", ")}`);
}

/** Airlock starts a Redis of its own: that of the package is not to come up by itself. */
function withoutServices(install) {
  const policy = "/usr/sbin/policy-rc.d";
  const ours = !existsSync(policy);
  if (ours) writeFileSync(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    install();
  } finally {
    if (ours) rmSync(policy, { force: true });
  }
}

/** Shows one line, and the program's output only where it fails. */
function quietly(what, file, args, environment) {
  process.stderr.write(`${what} …\n`);
  const result = spawnSync(file, args, {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (result.status === 0) return;
  const why = result.error?.message ?? `exit code ${result.status}`;
  fail(`${what} failed (${why}):\n${result.stdout ?? ""}${result.stderr ?? ""}`);
}

function fail(message) {
  throw new Failure(message);
}

function onPath(name) {
  return (process.env.PATH ?? "").split(path.delimiter).some((folder) => isProgram(path.join(folder, name)));
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
