// Keeps what a process holds in memory out of what it leaves behind when it fails: an error's own message, a report with the
// environment, a heap snapshot, a core dump, a debugger. Refuses to start with an option that asks for one of them.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { AirlockError } from "../fault/index.ts";
import { nodeOptions } from "./config.ts";
import { errorFields, type Log } from "./log.ts";

const DUMPING =
  /^--(heapsnapshot-|heap-prof|cpu-prof|abort-on-uncaught-exception|abort_on_uncaught_exception|report-|experimental-report)/;

/** Throws CONFIG_INVALID. */
export function refuseDumpOptions(options: readonly string[] = nodeOptions()): void {
  const found = options.find((option) => DUMPING.test(option));
  if (found === undefined) return;
  const name = found.split("=")[0] ?? "";
  throw new AirlockError("CONFIG_INVALID", `Node.js is started with ${name}, which writes memory to files`);
}

/** An error that nobody caught ends the process, and tells no more of itself than any other error. */
export function tellCrashes(log: Log): void {
  const crash = (error: unknown): void => {
    log.write("error", "service_crashed", errorFields(error));
    process.exit(1);
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
  // by default it opens a debugger, which shows everything
  process.on("SIGUSR1", () => undefined);
}

/** Lowers this process' own limit, which its children inherit. */
export function forbidCoreDumps(log: Log): void {
  try {
    execFileSync("prlimit", ["--pid", String(process.pid), "--core=0"], { stdio: "ignore" });
  } catch {
    // what counts is the limit itself
  }
  if (!coreDumpsForbidden()) log.write("warn", "core_dumps_possible");
}

export function coreDumpsForbidden(limits = readFileSync("/proc/self/limits", "utf8")): boolean {
  return /^Max core file size\s+0\s+0\s/m.test(limits);
}
